#include "net/http_connection.h"

#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/error.hpp>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include "net/forwarded.h"
#include "net/http_response_writer.h"
#include "net/subnet_list.h"

namespace petrel::net {
namespace {

namespace asio = boost::asio;

// An answer's buffer that grew beyond this is given back after it.
constexpr std::size_t kOutputKeptMax = 16 * 1024;

// Whether the handshake failed because the client sent a plain request instead.
bool is_plain_http(const boost::system::error_code& error) {
  return error.category() == asio::error::get_ssl_category() &&
         ERR_GET_REASON(static_cast<unsigned long>(error.value())) == SSL_R_HTTP_REQUEST;
}

IpAddress ip_of(const asio::ip::address& address) {
  if (address.is_v4()) return IpAddress::v4(address.to_v4().to_bytes());
  return IpAddress::v6(address.to_v6().to_bytes()).unmapped();
}

}  // namespace

HttpConnection::HttpConnection(asio::ip::tcp::socket socket, std::shared_ptr<Shared> shared)
    : shared_(std::move(shared)),
      stream_(std::move(socket), shared_->settings.identity.get()),
      reader_(shared_->settings.limits) {
  shared_->connections.insert(this);
  boost::system::error_code ignored;
  stream_.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
  const auto remote = stream_.socket().remote_endpoint(ignored);
  if (!ignored) peer_ = ip_of(remote.address());
  peer_text_ = peer_.text();
  is_peer_trusted_ = is_in_any(shared_->settings.trusted_proxies, peer_);
}

HttpConnection::~HttpConnection() {
  shared_->connections.erase(this);
  shared_->bytes_held -= bytes_held_;
}

void HttpConnection::start() {
  if (!stream_.is_tls()) return begin();
  enter(Stage::ShakingHands, shared_->settings.header_time_max);
  auto self = shared_from_this();
  stream_.shake_hands([self](const boost::system::error_code& error) {
    if (self->stage_ != Stage::ShakingHands) return;
    if (is_plain_http(error)) {
      self->stream_.go_plain();
      return self->fail({400, "this port speaks TLS: write https://"});
    }
    if (error) return self->close();
    self->begin();
  });
}

void HttpConnection::begin() {
  // A connection on which nothing ever came has no claim to the patience of one that is reused.
  enter(Stage::Idle, shared_->settings.header_time_max);
  read();
}

void HttpConnection::refuse() {
  if (stream_.is_tls()) return close();  // A handshake would be the dearest part of it.
  fail({503, "too many connections; try again in a moment"});
}

void HttpConnection::stop() {
  const bool has_answered = stage_ == Stage::Idle || stage_ == Stage::Lingering;
  if (has_answered || stage_ == Stage::ShakingHands) close();
}

void HttpConnection::sweep(MonoTime now) {
  if (stage_ == Stage::Closed || stage_ == Stage::Handling || now < deadline_) return;
  const bool is_idle = stage_ == Stage::Idle;
  if (is_reading() && !is_idle) return fail({408, "the request did not arrive in time"});
  close();
}

void HttpConnection::enter(Stage stage, Duration allowance) {
  stage_ = stage;
  deadline_ = shared_->clock.mono() + allowance;
}

// Never two at once: the second would not hear of the connection's end.
void HttpConnection::read() {
  if (std::exchange(has_read_out_, true)) return;
  auto self = shared_from_this();
  stream_.read_some(asio::buffer(chunk_),
                    [self](const boost::system::error_code& error, std::size_t size) {
                      self->has_read_out_ = false;
                      self->on_read(error, size);
                    });
}

void HttpConnection::on_read(const boost::system::error_code& error, std::size_t size) {
  if (is_reading() || stage_ == Stage::Lingering) {
    if (error) return close();
    if (stage_ == Stage::Lingering) return read();
    reader_.add({chunk_.data(), size});
    advance();
  }
}

void HttpConnection::advance() {
  if (!is_reading()) return;  // Given up meanwhile.
  using Progress = HttpRequestReader::Stage;
  const Progress progress = reader_.advance();
  account();
  if (progress == Progress::Refused) return fail(reader_.refusal());
  if (progress == Progress::Ready) return handle();
  if (progress == Progress::Head && stage_ == Stage::Idle) {
    enter(Stage::ReadingHead, shared_->settings.header_time_max);
  }
  if (progress == Progress::Body) {
    if (is_over_budget()) return fail({503, "too much is under way; try again in a moment"});
    if (stage_ != Stage::ReadingBody) {
      enter(Stage::ReadingBody, shared_->settings.body_time_max);
      if (reader_.head().expects_continue && !reader_.has_begun_body()) return let_continue();
    }
  }
  read();
}

void HttpConnection::let_continue() {
  output_ = "HTTP/1.1 100 Continue\r\n\r\n";
  auto self = shared_from_this();
  stream_.write(asio::buffer(output_), [self](const boost::system::error_code& error, std::size_t) {
    if (self->stage_ != Stage::ReadingBody) return;
    if (error) return self->close();
    self->read();
  });
}

void HttpConnection::handle() {
  if (!shared_->callbacks.handle) return close();  // The server has gone.
  if (is_over_budget()) return fail({503, "too much is under way; try again in a moment"});
  enter(Stage::Handling, Duration::zero());
  keeps_alive_ = reader_.head().keeps_alive && !shared_->is_stopping;
  HttpRequest request = reader_.take();
  account();
  is_head_ = request.method == "HEAD";
  request.peer = peer_text_;
  request.client =
      is_peer_trusted_
          ? client_address(peer_, request.headers, shared_->settings.trusted_proxies).text()
          : peer_text_;
  auto self = shared_from_this();
  shared_->callbacks.handle(std::move(request),
                            [self](const HttpResponse& response) { self->respond(response); });
}

void HttpConnection::respond(const HttpResponse& response) {
  if (stage_ != Stage::Handling) return;
  output_ = http_response_text(response, {keeps_alive_, is_head_}, shared_->clock.wall());
  account();
  write();
}

void HttpConnection::fail(HttpRefusal refusal) {
  reader_ = HttpRequestReader(shared_->settings.limits);  // What it holds is of no more use.
  keeps_alive_ = false;
  is_head_ = false;
  enter(Stage::Handling, Duration::zero());
  respond(shared_->callbacks.error_page(refusal.status, refusal.detail));
}

void HttpConnection::write() {
  enter(Stage::Writing, shared_->settings.write_time_max);
  auto self = shared_from_this();
  stream_.write(asio::buffer(output_), [self](const boost::system::error_code& error, std::size_t) {
    if (error || self->stage_ == Stage::Closed) return self->close();
    self->on_written();
  });
}

void HttpConnection::on_written() {
  output_.clear();
  if (output_.capacity() > kOutputKeptMax) output_.shrink_to_fit();
  account();
  if (!keeps_alive_) return linger();
  if (shared_->is_stopping) return close();
  enter(Stage::Idle, shared_->settings.idle_time_max);
  // What came along with the last request is the beginning of the next. Through the loop, so that a
  // long row of pipelined requests cannot grow the stack.
  if (!reader_.has_input()) return read();
  auto self = shared_from_this();
  asio::post(stream_.socket().get_executor(), [self] { self->advance(); });
}

// Closing with unread input would reset the connection and could take the answer with it. So say
// that we are done, and read on until the client has seen it or the deadline passes.
void HttpConnection::linger() {
  enter(Stage::Lingering, shared_->settings.linger_time_max);
  auto self = shared_from_this();
  stream_.say_goodbye([self] {
    if (self->stage_ == Stage::Lingering) self->read();
  });
}

void HttpConnection::close() {
  stage_ = Stage::Closed;
  boost::system::error_code ignored;
  stream_.socket().close(ignored);
}

void HttpConnection::account() {
  shared_->bytes_held -= bytes_held_;
  bytes_held_ = reader_.bytes_held() + output_.capacity();
  shared_->bytes_held += bytes_held_;
}

bool HttpConnection::is_over_budget() const {
  return shared_->bytes_held > shared_->settings.bytes_held_max;
}

}  // namespace petrel::net
