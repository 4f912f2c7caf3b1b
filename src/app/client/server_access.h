// How a command finds its server and gets in: what the command line, the environment and the
// configuration say, and else the server on this machine, asked by the socket in its store's
// folder.
//
//   --server      PETREL_URL      [client] server = "https://…"
//   --token       PETREL_TOKEN    [client] token = "…", or "@file"
//
// A token goes only to the server that it was named with or for: the file's one is not shown to a
// server that is named elsewhere, and the one that the socket gives to its own server alone.
//
// Thread: any.

#pragma once

#include <string>

#include "app/client/api_client.h"
#include "base/result.h"

namespace petrel::app {

// Each is empty if it was not said.
struct AccessWords {
  std::string server;
  std::string token;  // Or "@file".
};

struct AccessSources {
  AccessWords flags;
  AccessWords environment;
  AccessWords file;
  std::string organisation;  // Of a token that this machine's server is asked for.
  std::string store;         // The folder of this machine's server.
};

// The access, and whether it came from the socket, so that it can be renewed there.
struct FoundAccess {
  ServerAccess access;
  bool is_by_socket = false;
};

// Invalid if a word is wrong; NotFound if no server was named and none runs on the store.
Result<FoundAccess> find_access(const AccessSources& sources);

// What the server that runs on the store gives.
Result<ServerAccess> access_by_socket(const std::string& store, const std::string& organisation);

// "https://host/" and "https://host/api/v1" are "https://host".
Result<std::string> server_url(std::string_view text);

// What `what`, a name or "@file" or "-" for stdin, stands for; bounded.
Result<std::string> text_argument(const std::string& argument, std::size_t bytes_max);

}  // namespace petrel::app
