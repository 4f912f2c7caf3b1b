// ControlSocket lets commands on this machine talk to the running server: one line in, one line
// out, over a socket in the store's folder that only its owner may open.
//
//   backup /var/backups/petrel-1  →  ok            or  →  error: … is there already
//
// Thread: confined to the loop's thread, on which the commands run too.

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"

namespace boost::asio {
class io_context;
}

namespace petrel::app {

class ControlSocket {
 public:
  // Answers a line. May take its time.
  using Handle = std::function<Status(const std::string& line)>;

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

  // Sends a line to the server behind the socket and waits for its answer. NotFound if there is
  // no server.
  static Status ask(const std::string& path, const std::string& line);

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;  // Shared with the operations that are under way on the loop.
};

}  // namespace petrel::app
