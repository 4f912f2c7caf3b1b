// ServerHealth is how the server is, for a load balancer to decide whether to send requests to it.
//
// Thread: any. A value.

#pragma once

#include <functional>
#include <string>
#include <vector>

namespace petrel::api {

struct ServerHealth {
  bool store_is_well = true;  // It takes writes.
  bool loops_are_well = true;

  // What is wrong, in sentences that name what is damaged but no folder.
  std::vector<std::string> problems = {};

  bool is_well() const { return store_is_well && loops_are_well; }
};

// A sentence for each event loop that has not turned for too long. Asks nobody.
using LateLoops = std::function<std::vector<std::string>()>;

// Finds out, within a few seconds whatever else is stuck, and answers on the loop's thread.
using AskHealth = std::function<void(std::function<void(const ServerHealth&)>)>;

}  // namespace petrel::api
