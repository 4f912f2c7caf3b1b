#include "net/http_server.h"

#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include "base/check.h"
#include "net/descriptor_budget.h"
#include "net/http_connection.h"

namespace petrel::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

using SharesPort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

constexpr std::chrono::milliseconds kSweepInterval(500);

// How long we wait after accepting failed, which happens when descriptors have run out: they come
// back when connections end, and asking again at once would only burn the processor.
constexpr std::chrono::milliseconds kAcceptPause(100);

// How many connections beyond the limit are told so. More are closed without a word.
constexpr std::size_t kRefusalsMax = 100;

}  // namespace

class HttpServer::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(asio::io_context& loop, const Clock& clock, HttpServerSettings settings, Callbacks callbacks)
      : acceptor_(loop),
        sweep_timer_(loop),
        accept_timer_(loop),
        shared_(std::make_shared<HttpConnection::Shared>(std::move(settings), std::move(callbacks),
                                                         clock)) {}

  Status bind() {
    const HttpServerSettings& settings = shared_->settings;
    boost::system::error_code error;
    const auto address = asio::ip::make_address(settings.host, error);
    if (error) {
      return invalid("listen", fmt::format("{} is not an IP address; write one such as 127.0.0.1 "
                                           "or 0.0.0.0",
                                           settings.host));
    }
    const tcp::endpoint endpoint(address, settings.port);
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error && settings.shares_port) acceptor_.set_option(SharesPort(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) {
      return unavailable(
          fmt::format("cannot listen on {}:{}: {}", settings.host, settings.port, error.message()));
    }
    return Done{};
  }

  void start() {
    accept();
    sweep();
  }

  void stop() {
    shared_->is_stopping = true;
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    sweep_timer_.cancel();
    accept_timer_.cancel();
    for (const auto& connection : living()) connection->stop();
  }

  // From here on no request is handed over, not even one that was being read.
  void abandon() {
    stop();
    shared_->callbacks.handle = nullptr;
    for (const auto& connection : living()) connection->abandon();
  }

  void set_identity(std::shared_ptr<TlsIdentity> identity) {
    // Ours: called on SIGHUP for a server that has an identity, with one that was loaded.
    CHECK(shared_->settings.identity != nullptr && identity != nullptr);
    shared_->settings.identity = std::move(identity);
  }

  std::uint16_t port() const {
    boost::system::error_code error;
    const auto endpoint = acceptor_.local_endpoint(error);
    return error ? std::uint16_t{0} : endpoint.port();
  }

  std::size_t connections() const { return shared_->connections.size(); }
  std::size_t bytes_held() const { return shared_->requests.used() + shared_->responses.used(); }

 private:
  void accept() {
    auto self = shared_from_this();
    acceptor_.async_accept([self](const boost::system::error_code& error, tcp::socket socket) {
      if (self->shared_->is_stopping) return;
      if (error) return self->on_accept_failed();
      self->welcome(std::move(socket));
      self->accept();
    });
  }

  // An idle connection elsewhere goes, and what waits to be accepted is accepted.
  void on_accept_failed() {
    const Relieve& relieve = shared_->callbacks.relieve;
    if (!relieve) return accept_later();
    auto self = shared_from_this();
    relieve([self](bool is_freed) {
      if (self->shared_->is_stopping) return;
      is_freed ? self->accept() : self->accept_later();
    });
  }

  void accept_later() {
    accept_timer_.expires_after(kAcceptPause);
    auto self = shared_from_this();
    accept_timer_.async_wait([self](const boost::system::error_code& error) {
      if (!error && !self->shared_->is_stopping) self->accept();
    });
  }

  void welcome(tcp::socket socket) {
    const std::size_t count = shared_->connections.size();
    const std::size_t max = shared_->settings.connections_max;
    if (count >= max + kRefusalsMax) return;  // Closed without a word.
    DescriptorBudget* const descriptors = shared_->settings.descriptors.get();
    DescriptorPlace place = descriptors ? descriptors->take_accepted() : DescriptorPlace();
    if (descriptors && !place) return;
    const bool is_crowded = count >= max || (descriptors && descriptors->is_accepting_crowded()) ||
                            !HttpConnection::has_room(*shared_);
    const auto connection =
        std::make_shared<HttpConnection>(std::move(socket), shared_, std::move(place));
    if (is_crowded) {
      connection->refuse();
    } else {
      connection->start();
    }
  }

  // Held while they are told something, which may be the end of them.
  std::vector<std::shared_ptr<HttpConnection>> living() const {
    std::vector<std::shared_ptr<HttpConnection>> held;
    held.reserve(shared_->connections.size());
    for (HttpConnection* connection : shared_->connections) {
      if (auto one = connection->weak_from_this().lock()) held.push_back(std::move(one));
    }
    return held;
  }

  void sweep() {
    const MonoTime now = shared_->clock.mono();
    for (const auto& connection : living()) connection->sweep(now);
    sweep_timer_.expires_after(kSweepInterval);
    auto self = shared_from_this();
    sweep_timer_.async_wait([self](const boost::system::error_code& error) {
      if (!error && !self->shared_->is_stopping) self->sweep();
    });
  }

  tcp::acceptor acceptor_;
  asio::steady_timer sweep_timer_;
  asio::steady_timer accept_timer_;
  std::shared_ptr<HttpConnection::Shared> shared_;
};

HttpServer::HttpServer(asio::io_context& loop, const Clock& clock, HttpServerSettings settings,
                       Callbacks callbacks)
    : impl_(std::make_shared<Impl>(loop, clock, std::move(settings), std::move(callbacks))) {}

HttpServer::~HttpServer() { impl_->abandon(); }

Status HttpServer::bind() { return impl_->bind(); }
void HttpServer::start() { impl_->start(); }
void HttpServer::stop() { impl_->stop(); }
void HttpServer::set_identity(std::shared_ptr<TlsIdentity> identity) {
  impl_->set_identity(std::move(identity));
}
std::uint16_t HttpServer::port() const { return impl_->port(); }
std::size_t HttpServer::connections() const { return impl_->connections(); }
std::size_t HttpServer::bytes_held() const { return impl_->bytes_held(); }

}  // namespace petrel::net
