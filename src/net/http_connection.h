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

#include "base/memory_share.h"
#include "net/descriptor_budget.h"
#include "net/http_request_reader.h"
#include "net/http_server.h"
#include "net/server_stream.h"

namespace petrel::net {

class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  // What all connections of a server share. Outlives them: each holds it.
  struct Shared {
    Shared(HttpServerSettings the_settings, HttpServer::Callbacks the_callbacks,
           const Clock& the_clock);

    HttpServerSettings settings;
    HttpServer::Callbacks callbacks;
    const Clock& clock;
    bool is_stopping = false;
    std::unordered_set<HttpConnection*> connections;
    MemoryShare requests;
    MemoryShare responses;
  };

  // Whether memory has room for one more.
  static bool has_room(Shared& shared);

  HttpConnection(boost::asio::ip::tcp::socket socket, std::shared_ptr<Shared> shared,
                 DescriptorPlace place);
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
  // What is counted in a share, and whose it is, if it is large.
  struct HeldBytes {
    std::size_t bytes = 0;
    MemoryAccountPtr account;
  };

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
  void respond(HttpResponse response);
  void set_origin(HttpRequest& request) const;
  void fail(HttpRefusal refusal);
  void write();
  void on_written();
  void linger();
  void close();
  bool hold_request(std::size_t bytes);
  bool name_account();
  bool hold_response(std::size_t bytes, const MemoryAccountPtr& account);
  void end_request();
  void end_response();

  std::shared_ptr<Shared> shared_;
  DescriptorPlace place_;  // Before the socket, which goes first.
  ServerStream stream_;
  IpAddress peer_;
  std::string peer_text_;
  bool is_peer_trusted_ = false;

  Stage stage_ = Stage::Idle;
  MonoTime deadline_{};
  HttpRequestReader reader_;
  std::array<char, 16 * 1024> chunk_;
  std::string output_;       // The head of the answer, with the body behind it if that is small.
  std::string output_body_;  // Else the body.
  HeldBytes request_held_;   // Of the connection itself, and of the request until it is answered.
  HeldBytes response_held_;  // Of the answer until it is written.
  bool has_read_out_ = false;
  bool is_head_ = false;        // The request is a HEAD: its answer has no body.
  bool is_continuing_ = false;  // "100 Continue" is being written.
  bool may_refuse_ = true;  // It changes nothing: another answer than the one given does no harm.
  bool keeps_alive_ = false;
};

}  // namespace petrel::net
