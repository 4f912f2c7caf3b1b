// HttpConnection is one client's connection: it reads a request, hands it over, writes the answer,
// and begins again, until either side has had enough.
//
//            +----------------------------------------------+
//            v                                              |
//   start → read → parse → handle (answer comes later) → write → close
//
// Internal to the net room.
//
// Thread: confined to the loop's thread.

#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "net/http_server.h"

namespace petrel::net {

class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  // What all connections of a server share. Outlives them: each holds it.
  struct Shared {
    HttpServerSettings settings;
    HttpServer::Callbacks callbacks;
    const Clock& clock;
    bool is_stopping = false;
    std::size_t connections = 0;
  };

  HttpConnection(boost::asio::ip::tcp::socket socket, std::shared_ptr<Shared> shared);
  ~HttpConnection();

  void start();

  // Answers 503 and closes: there are too many connections already.
  void refuse();

  // Ends it now if it waits for a request, else after the answer.
  void stop();

  // Ends it if it has been waited for too long. Called every second or so.
  void sweep(MonoTime now);

 private:
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;

  enum class Stage { Idle, ReadingHeader, ReadingBody, Handling, Writing, Closed };

  void enter(Stage stage);
  void begin_request();
  void read();
  void parse();
  void on_header();
  void handle();
  void respond(const HttpResponse& response);
  void fail(int status, std::string_view detail);
  void write();
  void on_written();
  void close();
  void linger();

  boost::asio::ip::tcp::socket socket_;
  std::shared_ptr<Shared> shared_;
  std::string peer_;

  Stage stage_ = Stage::Idle;
  MonoTime deadline_{};
  std::optional<Parser> parser_;
  std::array<char, 16 * 1024> chunk_;
  std::string input_;  // Read, but not parsed yet.
  std::string output_;
  bool is_head_ = false;
  bool keeps_alive_ = false;
};

}  // namespace petrel::net
