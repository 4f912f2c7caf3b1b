// ClientOptions gives a command the flags by which it finds its server, and what it asks it by.

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/client/api_client.h"
#include "app/client/server_access.h"
#include "base/result.h"

namespace CLI {
class App;
}

namespace petrel::app {

class ClientOptions {
 public:
  // Adds them, and --json.
  explicit ClientOptions(CLI::App& command, const std::string& server_names = "--server");

  bool is_json() const { return words_->is_json; }

  // How long one request may take.
  Result<Duration> timeout() const;

  Result<FoundAccess> access() const;

  // Finds the server and does the work. How the command ends: as the work says, or after telling a
  // person what went wrong.
  int run(const std::function<Result<int>(ApiClient&)>& work, Patience patience = {}) const;

 private:
  struct Words {
    AccessWords flags;
    std::string organisation;
    std::string store;
    std::string config;
    std::string timeout = "30s";
    bool is_json = false;
  };

  Result<AccessSources> sources() const;

  std::shared_ptr<Words> words_;  // Shared with the command line's callbacks.
};

}  // namespace petrel::app
