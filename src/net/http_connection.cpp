#include "net/http_connection.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

#include "base/http_date.h"
#include "base/text.h"

namespace petrel::net {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

std::string serialize(const HttpResponse& response, bool keeps_alive, bool is_head, WallTime now) {
  std::string text = fmt::format("HTTP/1.1 {} {}\r\nDate: {}\r\n", response.status,
                                 reason_phrase(response.status), to_http_date(now));
  const bool has_no_body = response.status == 204 || response.status == 304;
  if (!has_no_body) text += fmt::format("Content-Length: {}\r\n", response.body.size());
  if (!response.body.empty()) {
    text += fmt::format("Content-Type: {}\r\n", response.content_type);
  }
  for (const auto& [name, value] : response.headers) text += fmt::format("{}: {}\r\n", name, value);
  if (!keeps_alive) text += "Connection: close\r\n";
  text += "\r\n";
  if (!is_head && !has_no_body) text += response.body;
  return text;
}

// The shortest end of a chunked body. With less of it at hand Beast's own assertions can fail.
constexpr std::size_t kLastChunkBytes = 5;

struct Refusal {
  int status;
  std::string_view detail;
};

Refusal refusal_for(const boost::system::error_code& error) {
  if (error == http::error::header_limit) return {431, "the request's headers are too large"};
  if (error == http::error::body_limit) return {413, "the request's body is too large"};
  return {400, "this is not a well-formed HTTP/1.1 request"};
}

}  // namespace

HttpConnection::HttpConnection(asio::ip::tcp::socket socket, std::shared_ptr<Shared> shared)
    : socket_(std::move(socket)), shared_(std::move(shared)) {
  ++shared_->connections;
  boost::system::error_code ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  const auto remote = socket_.remote_endpoint(ignored);
  if (!ignored) peer_ = remote.address().to_string();
}

HttpConnection::~HttpConnection() { --shared_->connections; }

void HttpConnection::start() {
  begin_request();
  read();
}

void HttpConnection::refuse() {
  begin_request();
  fail(503, "too many connections; try again in a moment");
}

void HttpConnection::stop() {
  if (stage_ == Stage::Idle) close();
}

void HttpConnection::sweep(MonoTime now) {
  if (stage_ == Stage::Closed || stage_ == Stage::Handling || now < deadline_) return;
  const bool is_reading = stage_ == Stage::ReadingHeader || stage_ == Stage::ReadingBody;
  if (is_reading) {
    fail(408, "the request did not arrive in time");
  } else {
    close();
  }
}

void HttpConnection::enter(Stage stage) {
  stage_ = stage;
  const HttpServerSettings& settings = shared_->settings;
  Duration allowance = settings.request_time_max;
  if (stage == Stage::Idle) allowance = settings.idle_time_max;
  if (stage == Stage::ReadingHeader) allowance = settings.header_time_max;
  deadline_ = shared_->clock.mono() + allowance;
}

void HttpConnection::begin_request() {
  parser_.emplace();
  parser_->eager(true);
  parser_->header_limit(static_cast<std::uint32_t>(shared_->settings.header_bytes_max));
  parser_->body_limit(shared_->settings.body_bytes_max);
  enter(Stage::Idle);
}

void HttpConnection::read() {
  auto self = shared_from_this();
  socket_.async_read_some(asio::buffer(chunk_),
                          [self](const boost::system::error_code& error, std::size_t size) {
                            if (error || self->stage_ == Stage::Closed) return self->close();
                            self->input_.append(self->chunk_.data(), size);
                            self->parse();
                          });
}

void HttpConnection::parse() {
  if (stage_ != Stage::Idle && stage_ != Stage::ReadingHeader && stage_ != Stage::ReadingBody)
    return;
  if (stage_ == Stage::Idle) enter(Stage::ReadingHeader);
  while (!input_.empty() && !parser_->is_done()) {
    const bool had_header = parser_->is_header_done();
    if (had_header && parser_->chunked() && input_.size() < kLastChunkBytes) break;
    boost::system::error_code error;
    const std::size_t used = parser_->put(asio::buffer(input_), error);
    input_.erase(0, used);
    if (!had_header && parser_->is_header_done()) on_header();
    if (stage_ == Stage::Closed) return;
    if (error == http::error::need_more) break;
    if (error) {
      const Refusal refusal = refusal_for(error);
      return fail(refusal.status, refusal.detail);
    }
  }
  if (parser_->is_done()) {
    handle();
  } else {
    read();
  }
}

void HttpConnection::on_header() {
  enter(Stage::ReadingBody);
  if (parser_->is_done() ||
      !equals_ignoring_case(std::string_view(parser_->get()["Expect"]), "100-continue")) {
    return;
  }
  // Too small to block: it fits any socket's buffer. A failure shows with the next read.
  boost::system::error_code ignored;
  asio::write(socket_, asio::buffer(std::string_view("HTTP/1.1 100 Continue\r\n\r\n")), ignored);
}

void HttpConnection::handle() {
  enter(Stage::Handling);
  auto message = parser_->release();
  keeps_alive_ = message.keep_alive() && !shared_->is_stopping;
  is_head_ = message.method() == http::verb::head;

  HttpRequest request;
  request.method = std::string(message.method_string());
  request.target = std::string(message.target());
  for (const auto& field : message) {
    request.headers.emplace_back(std::string(field.name_string()), std::string(field.value()));
  }
  request.body = std::move(message.body());
  request.peer = peer_;

  auto self = shared_from_this();
  shared_->callbacks.handle(std::move(request),
                            [self](const HttpResponse& response) { self->respond(response); });
}

void HttpConnection::respond(const HttpResponse& response) {
  if (stage_ != Stage::Handling) return;
  output_ = serialize(response, keeps_alive_, is_head_, shared_->clock.wall());
  write();
}

void HttpConnection::fail(int status, std::string_view detail) {
  keeps_alive_ = false;
  is_head_ = false;
  enter(Stage::Handling);
  respond(shared_->callbacks.error_page(status, detail));
}

void HttpConnection::write() {
  enter(Stage::Writing);
  auto self = shared_from_this();
  asio::async_write(socket_, asio::buffer(output_),
                    [self](const boost::system::error_code& error, std::size_t) {
                      if (error || self->stage_ == Stage::Closed) return self->close();
                      self->on_written();
                    });
}

void HttpConnection::on_written() {
  if (!keeps_alive_) return linger();
  begin_request();
  if (shared_->is_stopping) return close();
  // What came along with the last request is the beginning of the next. Through the loop, so that a
  // long row of pipelined requests cannot grow the stack.
  if (input_.empty()) return read();
  auto self = shared_from_this();
  asio::post(socket_.get_executor(), [self] { self->parse(); });
}

// Closing with unread input would reset the connection and could take the answer with it. So say
// that we are done, and read on until the client has seen it or the deadline passes.
void HttpConnection::linger() {
  boost::system::error_code ignored;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  auto self = shared_from_this();
  socket_.async_read_some(asio::buffer(chunk_),
                          [self](const boost::system::error_code& error, std::size_t) {
                            if (error || self->stage_ == Stage::Closed) return self->close();
                            self->linger();
                          });
}

void HttpConnection::close() {
  stage_ = Stage::Closed;
  boost::system::error_code ignored;
  socket_.close(ignored);
}

}  // namespace petrel::net
