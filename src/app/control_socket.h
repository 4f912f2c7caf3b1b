// ControlSocket lets commands on this machine talk to the running server: one line in, one line
// out, over a socket in the store's folder that only its owner may open.
//
//   backup /var/backups/petrel-1  →  ok 12 files …   or  →  error: … is there already
//
// Both sides look at who the other one is: a user is served by his own server and root's, and a
// server serves its own user and root, whatever the rights of the file say.
//
// Thread: confined to the loop's thread.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"

namespace boost::asio {
class io_context;
}

namespace petrel::app {

class ControlSocket {
 public:
  // What came of a line, in words; one line. Called once, on the loop's thread.
  using Answer = std::function<void(Result<std::string>)>;
  using Handle = std::function<void(const std::string& line, Answer answer)>;

  // Where the socket of a store's folder is.
  static std::string path_in(const std::string& store);

  ControlSocket(boost::asio::io_context& loop, Handle handle);
  ~ControlSocket();
  ControlSocket(const ControlSocket&) = delete;
  ControlSocket& operator=(const ControlSocket&) = delete;

  // Takes the place of a socket that a server which has died left behind.
  //
  // REQUIRES: no other server has this store's folder.
  Status listen(const std::string& path);

  // Sends a line to the server behind the socket and waits for its answer, at most for `patience`
  // if that is given. NotFound if there is no server.
  static Result<std::string> ask(const std::string& path, const std::string& line,
                                 std::optional<Duration> patience = {});

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;  // Shared with the operations that are under way on the loop.
};

}  // namespace petrel::app
