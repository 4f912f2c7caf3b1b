// SelectionOptions are the flags that choose deliveries: by endpoint, event type, reason and time.
//
// They become a body (for what starts a task) or a query (for lists).

#pragma once

#include <string>
#include <vector>

#include "base/json_writer.h"
#include "base/result.h"
#include "base/time.h"

namespace CLI {
class App;
}

namespace petrel::app {

struct SelectionOptions {
  std::string endpoint;
  std::vector<std::string> event_types;
  std::vector<std::string> reasons;
  std::string since;
  std::string until;

  // REQUIRES: it outlives the command line's parsing.
  void add_to(CLI::App& command);

  bool is_empty() const;

  // As fields of an object that was begun.
  Status write(JsonWriter& json, WallTime now) const;

  // "&endpoint_id=…&reason=…", as lists of dead letters take it: `since` and `until` are about the
  // message there, and only one reason can be asked for.
  Result<std::string> query(WallTime now) const;
};

}  // namespace petrel::app
