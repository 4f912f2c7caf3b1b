#include "net/http_connection.h"

#include <array>
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

// An answer's buffer that grew beyond this is given back after it, and a body up to this is written
// behind its head at once.
constexpr std::size_t kOutputKeptMax = 16 * 1024;

// What a connection takes that waits for a request.
constexpr std::size_t kPlainBytes = 24 * 1024;
constexpr std::size_t kTlsBytes = 64 * 1024;

std::size_t idle_bytes(const HttpServerSettings& settings) {
  return settings.identity ? kTlsBytes : kPlainBytes;
}

constexpr std::string_view kNoRoom =
    "the server has no memory left for this at the moment; try again shortly";

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

HttpConnection::Shared::Shared(HttpServerSettings the_settings, HttpServer::Callbacks the_callbacks,
                               const Clock& the_clock)
    : settings(std::move(the_settings)),
      callbacks(std::move(the_callbacks)),
      clock(the_clock),
      requests(settings.memory ? settings.memory : MemoryBudget::unlimited(), MemoryUse::Requests),
      responses(settings.memory ? settings.memory : MemoryBudget::unlimited(),
                MemoryUse::Responses) {}

bool HttpConnection::has_room(Shared& shared) {
  return shared.requests.budget().has_room(MemoryUse::Requests, idle_bytes(shared.settings),
                                           nullptr);
}

HttpConnection::HttpConnection(asio::ip::tcp::socket socket, std::shared_ptr<Shared> shared,
                               DescriptorPlace place)
    : shared_(std::move(shared)),
      place_(std::move(place)),
      stream_(std::move(socket), shared_->settings.identity.get()),
      reader_(shared_->settings.limits) {
  shared_->connections.insert(this);
  shared_->requests.take_anyway(idle_bytes(shared_->settings));
  request_held_.bytes = idle_bytes(shared_->settings);
  boost::system::error_code ignored;
  stream_.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
  const auto remote = stream_.socket().remote_endpoint(ignored);
  if (!ignored) peer_ = ip_of(remote.address());
  peer_text_ = peer_.text();
  is_peer_trusted_ = is_in_any(shared_->settings.trusted_proxies, peer_);
}

HttpConnection::~HttpConnection() {
  shared_->connections.erase(this);
  shared_->requests.give_back(request_held_.bytes, request_held_.account.get());
  shared_->responses.give_back(response_held_.bytes, response_held_.account.get());
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
  if (is_reading() && !is_idle && !is_continuing_)
    return fail({408, "the request did not arrive in time"});
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
  if (progress == Progress::Refused) return fail(reader_.refusal());
  if (!hold_request(idle_bytes(shared_->settings) + reader_.bytes_held()))
    return fail({503, kNoRoom});
  if (progress == Progress::Ready) return handle();
  if (progress == Progress::Head && stage_ == Stage::Idle) {
    enter(Stage::ReadingHead, shared_->settings.header_time_max);
  }
  if (progress == Progress::Body && stage_ != Stage::ReadingBody) {
    enter(Stage::ReadingBody, shared_->settings.body_time_max);
    if (reader_.head().expects_continue && !reader_.has_begun_body()) return let_continue();
  }
  read();
}

void HttpConnection::let_continue() {
  constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  // While it is being written nothing else can be: a client that does not read it is just closed.
  is_continuing_ = true;
  auto self = shared_from_this();
  stream_.write(asio::buffer(kContinue),
                [self](const boost::system::error_code& error, std::size_t) {
                  self->is_continuing_ = false;
                  if (self->stage_ != Stage::ReadingBody) return;
                  if (error) return self->close();
                  self->read();
                });
}

void HttpConnection::handle() {
  if (!shared_->callbacks.handle) return close();  // The server has gone.
  enter(Stage::Handling, Duration::zero());
  keeps_alive_ = reader_.head().keeps_alive && !shared_->is_stopping;
  HttpRequest request = reader_.take();
  is_head_ = request.method == "HEAD";
  may_refuse_ = is_head_ || request.method == "GET";
  set_origin(request);
  auto self = shared_from_this();
  shared_->callbacks.handle(std::move(request),
                            [self](HttpResponse response) { self->respond(std::move(response)); });
}

void HttpConnection::set_origin(HttpRequest& request) const {
  request.peer = peer_text_;
  request.client =
      is_peer_trusted_
          ? client_address(peer_, request.headers, shared_->settings.trusted_proxies).text()
          : peer_text_;
}

void HttpConnection::respond(HttpResponse response) {
  if (stage_ != Stage::Handling) return;
  end_request();
  if (!hold_response(response.body.capacity(), response.account)) {
    response = shared_->callbacks.error_page(503, kNoRoom);
    if (!hold_response(response.body.capacity(), nullptr)) return close();
  }
  output_ = http_response_head(response, {keeps_alive_}, shared_->clock.wall());
  const bool has_body = !is_head_ && may_have_body(response.status);
  output_body_ = has_body ? std::move(response.body) : std::string();
  if (output_body_.size() <= kOutputKeptMax) output_ += std::exchange(output_body_, {});
  write();
}

void HttpConnection::fail(HttpRefusal refusal) {
  reader_.give_up();  // What it holds is of no more use.
  keeps_alive_ = false;
  is_head_ = false;
  enter(Stage::Handling, Duration::zero());
  respond(shared_->callbacks.error_page(refusal.status, refusal.detail));
}

void HttpConnection::write() {
  enter(Stage::Writing, shared_->settings.write_time_max);
  auto self = shared_from_this();
  const auto on_end = [self](const boost::system::error_code& error, std::size_t) {
    if (error || self->stage_ == Stage::Closed) return self->close();
    self->on_written();
  };
  if (output_body_.empty()) return stream_.write(asio::buffer(output_), on_end);
  stream_.write(std::array{asio::const_buffer(asio::buffer(output_)),
                           asio::const_buffer(asio::buffer(output_body_))},
                on_end);
}

void HttpConnection::on_written() {
  end_response();
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

// False if there is no room for so much: then what was held stays so.
bool HttpConnection::hold_request(std::size_t bytes) {
  HeldBytes& held = request_held_;
  if (bytes <= held.bytes) {
    shared_->requests.give_back(held.bytes - bytes, held.account.get());
    held.bytes = bytes;
    return true;
  }
  const bool is_large = bytes >= idle_bytes(shared_->settings) + MemoryBudget::kNamedMin;
  const bool has_room = (!is_large || name_account()) &&
                        shared_->requests.take(bytes - held.bytes, held.account.get());
  if (has_room) {
    held.bytes = bytes;
  } else {
    shared_->requests.budget().note_refused(MemoryUse::Requests, held.account.get());
  }
  return has_room;
}

// Whose the request is. False if that one has too much already.
bool HttpConnection::name_account() {
  HeldBytes& held = request_held_;
  if (held.account || !shared_->callbacks.account_of) return true;
  HttpRequest head = reader_.head().request;
  set_origin(head);
  MemoryAccountPtr account = shared_->callbacks.account_of(head);
  if (account == nullptr) return true;
  held.account = std::move(account);
  if (shared_->requests.budget().charge(*held.account, MemorySide::Clients, held.bytes)) {
    return true;
  }
  shared_->requests.budget().note_refused(MemoryUse::Requests, held.account.get());
  held.account.reset();
  return false;
}

// What is small is always told, and what was done is too: who heard a refusal would do it again.
bool HttpConnection::hold_response(std::size_t bytes, const MemoryAccountPtr& account) {
  MemoryShare& share = shared_->responses;
  const bool is_small = bytes < MemoryBudget::kNamedMin;
  if (!is_small && share.take(bytes, account.get())) {
    response_held_ = {bytes, account};
    return true;
  }
  if (!is_small) share.budget().note_refused(MemoryUse::Responses, account.get());
  if (!is_small && may_refuse_) return false;
  share.take_anyway(bytes);
  response_held_ = {bytes, nullptr};
  return true;
}

void HttpConnection::end_request() {
  shared_->requests.give_back(request_held_.bytes, request_held_.account.get());
  shared_->requests.take_anyway(idle_bytes(shared_->settings));
  request_held_ = {idle_bytes(shared_->settings), nullptr};
}

void HttpConnection::end_response() {
  output_.clear();
  if (output_.capacity() > kOutputKeptMax) output_.shrink_to_fit();
  std::string().swap(output_body_);
  shared_->responses.give_back(response_held_.bytes, response_held_.account.get());
  response_held_ = {};
}

}  // namespace petrel::net
