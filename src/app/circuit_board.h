// CircuitBoard shows which endpoints have a circuit that is not closed, and why, to those who do
// not run on the lanes' own threads.
//
// Thread: safe.

#pragma once

#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/id.h"

namespace petrel::app {

class CircuitBoard {
 public:
  // An empty `why` means that it is closed.
  void note(EndpointId endpoint, std::string why) {
    const std::lock_guard lock(mutex_);
    if (why.empty()) {
      not_closed_.erase(endpoint);
    } else {
      not_closed_.insert_or_assign(endpoint, std::move(why));
    }
  }

  // Why it is not closed; empty if it is.
  std::string why(EndpointId endpoint) const {
    const std::lock_guard lock(mutex_);
    const auto found = not_closed_.find(endpoint);
    return found == not_closed_.end() ? std::string() : found->second;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<EndpointId, std::string> not_closed_;
};

}  // namespace petrel::app
