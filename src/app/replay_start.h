// Starting a replay of dead, missed or former deliveries: its flags, and the request that they
// become.

#pragma once

#include <cstdint>
#include <string>

#include "app/client/api_client.h"
#include "app/client/selection_options.h"
#include "base/result.h"

namespace CLI {
class App;
}

namespace petrel::app {

struct ReplayOptions {
  std::string application;
  std::string what = "dead";  // "missing", "sent"
  SelectionOptions selection;
  std::int64_t rate = 0;  // A minute. 0: as the server has it.
  std::int64_t rate_max = 0;
  bool has_no_ramp = false;
  bool is_dry = false;
  bool is_detached = false;

  // The pace, and --dry-run and --detach.
  void add_pace_to(CLI::App& command);
};

// Starts it, and watches it unless that is not wanted. How the command ends.
Result<int> start_replay(ApiClient& api, const ReplayOptions& options, bool is_json);

// Discards what the selection fits, as a task as well.
Result<int> start_discard(ApiClient& api, const ReplayOptions& options, bool is_json);

}  // namespace petrel::app
