// HttpConnection is one client's connection: it reads a request, hands it over, writes the answer,
// and begins again, until either side has had enough.
//
//            +-----------------------------------------------+
//            v                                               |
//   start → read → request → handle (answer comes later) → write → linger → close
//
// One request is under way at a time. What a client sends ahead waits in the system's buffers, and
// nothing is read for it before the last answer is written: a client that does not read its answers
// cannot make us hold more than one.
//
// Internal to the net room.
//
// Thread: confined to the loop's thread.

#pragma once

#include <array>
#include <memory>
#include <string>
#include <unordered_set>

#include <boost/asio/ip/tcp.hpp>

#include "net/http_request_reader.h"
#include "net/http_server.h"
#include "net/server_stream.h"

namespace petrel::net {

class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  // What all connections of a server share. Outlives them: each holds it.
  struct Shared {
    HttpServerSettings settings;
    HttpServer::Callbacks callbacks;
    const Clock& clock;
    bool is_stopping = false;
    std::unordered_set<HttpConnection*> connections;
    std::size_t bytes_held =
        0;  // By all of them: requests that are not whole, answers not written.
  };

  HttpConnection(boost::asio::ip::tcp::socket socket, std::shared_ptr<Shared> shared);
  ~HttpConnection();

  void start();

  // Answers 503 and closes: there are too many connections already.
  void refuse();

  // Ends it now if it waits for a request, else after the answer.
  void stop();

  // Ends it now, whatever it was doing: its server is going.
  void abandon() { close(); }

  // Ends it if it has been waited for too long. Called twice a second or so.
  void sweep(MonoTime now);

 private:
  // The ones that read come first.
  enum class Stage {
    Idle,
    ReadingHead,
    ReadingBody,
    ShakingHands,
    Handling,
    Writing,
    Lingering,
    Closed
  };

  bool is_reading() const { return stage_ <= Stage::ReadingBody; }
  void enter(Stage stage, Duration allowance);
  void begin();
  void read();
  void on_read(const boost::system::error_code& error, std::size_t size);
  void advance();
  void let_continue();
  void handle();
  void respond(const HttpResponse& response);
  void fail(HttpRefusal refusal);
  void write();
  void on_written();
  void linger();
  void close();
  void account();
  bool is_over_budget() const;

  std::shared_ptr<Shared> shared_;
  ServerStream stream_;
  IpAddress peer_;
  std::string peer_text_;
  bool is_peer_trusted_ = false;

  Stage stage_ = Stage::Idle;
  MonoTime deadline_{};
  HttpRequestReader reader_;
  std::array<char, 16 * 1024> chunk_;
  std::string output_;
  std::size_t bytes_held_ = 0;
  bool has_read_out_ = false;
  bool is_head_ = false;  // The request is a HEAD: its answer has no body.
  bool keeps_alive_ = false;
};

}  // namespace petrel::net
