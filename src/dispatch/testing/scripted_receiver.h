// ScriptedReceiver is a receiver for tests: it listens on a loopback port and talks as a script
// says, with a thread of its own and sockets that block.
//
//   ScriptedReceiver receiver([](Peer& peer) {
//     while (peer.read_request()) peer.send("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
//   });
//
// Thread: safe. The script runs once per connection, each on a thread of its own.

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <openssl/ssl.h>

namespace petrel::dispatch {

// The other side of one connection, as the script sees it.
class Peer {
 public:
  Peer(int socket, int number) : socket_(socket), number_(number) {}
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  // Which connection this is; the first is 1.
  int number() const { return number_; }

  // The next request, head and body; empty if the connection ends or stalls for ten seconds.
  std::optional<std::string> read_request();

  // Exactly so many bytes; fewer if the connection ends.
  std::string read_bytes(std::size_t size);

  // False if the other side has gone.
  bool send(std::string_view text);

  // Ends the connection with a reset instead of an orderly close.
  void reset();

  // Waits until the other side closes or sends something, for at most this long. False if it does
  // neither.
  bool hears_within(std::chrono::milliseconds time) const;

  // Waits until the other side closes, for at most ten seconds.
  bool waits_for_end();

  // From here on all goes through TLS. False if the handshake fails.
  bool begin_tls(SSL_CTX* context);
  bool is_resumed() const;

  // The common name in the other side's certificate; empty if it has shown none.
  std::string client_name() const;

  // Passes bytes to and from `port` on loopback until one side ends.
  void tunnel_to(std::uint16_t port);

 private:
  std::size_t read_some(char* data, std::size_t size);

  int socket_;
  int number_;
  SSL* tls_ = nullptr;
  std::string input_;
};

class ScriptedReceiver {
 public:
  using Script = std::function<void(Peer&)>;

  explicit ScriptedReceiver(Script script, std::string_view address = "127.0.0.1",
                            std::uint16_t port = 0);
  ~ScriptedReceiver();
  ScriptedReceiver(const ScriptedReceiver&) = delete;
  ScriptedReceiver& operator=(const ScriptedReceiver&) = delete;

  std::uint16_t port() const { return port_; }
  int connections() const { return connections_; }

 private:
  void serve();

  Script script_;
  int listener_;
  std::uint16_t port_ = 0;
  std::atomic<int> connections_ = 0;
  std::atomic<bool> is_stopping_ = false;
  std::mutex mutex_;
  std::vector<int> open_;
  std::list<std::thread> talks_;
  std::thread thread_;
};

// A port on loopback that has no listener.
std::uint16_t free_port();

}  // namespace petrel::dispatch
