#include "dispatch/dial.h"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>

namespace petrel::dispatch {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using policy::FailureKind;

// The most that one of several addresses gets to accept a connection.
constexpr Duration kConnectTimeMax = std::chrono::seconds(3);

// How many idle connections are closed at most for one that the system has no descriptor for: the
// others that take them may be other processes.
constexpr int kRelievedMax = 4;

bool is_descriptor_shortage(const error_code& error) {
  return error == boost::system::errc::too_many_files_open ||
         error == boost::system::errc::too_many_files_open_in_system;
}

tcp::endpoint to_endpoint(const IpAddress& ip, std::uint16_t port) {
  const auto bytes = ip.bytes();
  if (ip.is_v4()) {
    asio::ip::address_v4::bytes_type v4{};
    std::copy(bytes.begin(), bytes.end(), v4.begin());
    return {asio::ip::address_v4(v4), port};
  }
  asio::ip::address_v6::bytes_type v6{};
  std::copy(bytes.begin(), bytes.end(), v6.begin());
  return {asio::ip::address_v6(v6), port};
}

IpAddress to_ip(const asio::ip::address& address) {
  if (address.is_v4()) return IpAddress::v4(address.to_v4().to_bytes());
  return IpAddress::v6(address.to_v6().to_bytes());
}

Failure resolution_failure(const std::string& name, const net::Resolution& resolution) {
  switch (resolution.kind) {
    case net::Resolution::Kind::Shortage:
      return our_fault(resolution.why, model::FaultCause::Descriptors);
    case net::Resolution::Kind::Failed:
      return resolver_fault(name, resolution.wait);
    default:
      return failed(FailureKind::Dns, resolution.why);
  }
}

// What the endpoint brings for its TLS may be of no use; that is not our fault.
Failure tls_failure(const Error& error) {
  if (error.kind == ErrorKind::Unavailable) return our_fault(error.detail);
  return failed(FailureKind::Tls, error.detail);
}

}  // namespace

std::shared_ptr<Dial> Dial::start(DialTools& tools, Destination to, MonoTime deadline, Done done) {
  auto dial = std::make_shared<Dial>(tools, std::move(to), deadline, std::move(done));
  dial->resolve();
  return dial;
}

Dial::Dial(DialTools& tools, Destination to, MonoTime deadline, Done done)
    : tools_(tools),
      to_(std::move(to)),
      deadline_(deadline),
      done_(std::move(done)),
      budget_(tools.loop) {}

void Dial::cancel() {
  if (stage_ == Stage::Over) return;
  stage_ = Stage::Over;
  budget_.cancel();
  connection_.reset();
  place_ = {};
  done_ = nullptr;
}

std::string_view Dial::waits_for() const {
  switch (stage_) {
    case Stage::Resolving:
      return "no address for the name";
    case Stage::ShakingHands:
      return "no TLS handshake";
    default:
      return "no connection";
  }
}

std::string_view Dial::resolves() const {
  if (stage_ == Stage::Resolving) return to_.url.host;
  if (stage_ == Stage::ResolvingProxy) return tools_.proxy->host;
  return {};
}

model::Timings Dial::timings() const {
  model::Timings timings = timings_;
  const Duration spent = tools_.clock.mono() - stage_since_;
  if (stage_ == Stage::Resolving || stage_ == Stage::ResolvingProxy) timings.dns += spent;
  if (stage_ == Stage::Connecting || stage_ == Stage::Tunnelling) timings.connect += spent;
  if (stage_ == Stage::ShakingHands) timings.tls += spent;
  return timings;
}

void Dial::enter(Stage stage) {
  timings_ = stage_since_ == MonoTime{} ? timings_ : timings();
  stage_ = stage;
  stage_since_ = tools_.clock.mono();
}

void Dial::resolve() {
  enter(Stage::Resolving);
  auto self = shared_from_this();
  if (to_.url.ip) {
    asio::post(tools_.loop, [self] {
      if (self->stage_ == Stage::Resolving) self->approve({*self->to_.url.ip});
    });
    return;
  }
  tools_.resolver->resolve(to_.url.host, [self](const net::ResolutionPtr& resolution) {
    if (self->stage_ == Stage::Resolving) self->on_resolved(*resolution);
  });
}

void Dial::on_resolved(const net::Resolution& resolution) {
  if (resolution.kind != net::Resolution::Kind::Found) {
    return fail(resolution_failure(to_.url.host, resolution));
  }
  approve(resolution.addresses);
}

void Dial::approve(const std::vector<IpAddress>& addresses) {
  for (const IpAddress& address : addresses) {
    if (tools_.guard.check(address, to_.url.port).is_allowed) targets_.push_back(address);
  }
  if (targets_.empty()) {
    const std::uint16_t port = to_.url.port;
    return fail(
        blocked(addresses.empty() ? std::string() : tools_.guard.explain(addresses.front(), port)));
  }
  if (tools_.proxy) return resolve_proxy();
  find_place();
}

void Dial::resolve_proxy() {
  enter(Stage::ResolvingProxy);
  if (tools_.proxy->ip) {
    proxies_ = {*tools_.proxy->ip};
    return find_place();
  }
  auto self = shared_from_this();
  tools_.resolver->resolve(tools_.proxy->host, [self](const net::ResolutionPtr& resolution) {
    if (self->stage_ == Stage::ResolvingProxy) self->on_proxy_resolved(*resolution);
  });
}

void Dial::on_proxy_resolved(const net::Resolution& resolution) {
  if (resolution.kind != net::Resolution::Kind::Found) {
    Failure failure = proxy_fault("the proxy cannot be reached: " + std::string(resolution.why));
    if (resolution.kind == net::Resolution::Kind::Failed) failure.resolver_wait = resolution.wait;
    return fail(std::move(failure));
  }
  proxies_ = resolution.addresses;
  find_place();
}

void Dial::find_place() {
  place_ = tools_.places->take();
  if (place_) return connect();
  enter(Stage::Waiting);
  auto self = shared_from_this();
  tools_.places->find([self](net::DescriptorPlace place) {
    if (self->stage_ != Stage::Waiting) return;
    if (!place) return self->fail(no_descriptor());
    self->place_ = std::move(place);
    self->connect();
  });
}

void Dial::connect() {
  enter(Stage::Connecting);
  const std::uint64_t era = ++era_;
  connection_ = std::make_unique<Connection>(tools_.loop, to_.pool_key);
  const tcp::endpoint peer = tools_.proxy ? to_endpoint(proxies_[proxy_], tools_.proxy->port)
                                          : to_endpoint(targets_[target_], to_.url.port);
  arm_budget();
  auto self = shared_from_this();
  connection_->socket().async_connect(peer, [self, era](const error_code& error) {
    if (self->stage_ == Stage::Connecting && self->era_ == era) self->on_connected(error);
  });
}

void Dial::arm_budget() {
  const bool is_last = target_ + 1 >= targets_.size() && proxy_ + 1 >= proxies_.size();
  if (is_last) {
    budget_.cancel();
    return;
  }
  const Duration left = deadline_ - tools_.clock.mono();
  budget_.expires_after(std::max(Duration::zero(), std::min(kConnectTimeMax, left / 2)));
  auto self = shared_from_this();
  budget_.async_wait([self, era = era_](const error_code& error) {
    if (error || self->era_ != era) return;
    if (self->stage_ == Stage::Connecting) {
      self->on_connect_failed(failed(FailureKind::Connect,
                                     "the receiver did not accept the "
                                     "connection"));
    } else if (self->stage_ == Stage::Tunnelling) {
      self->try_next(failed(FailureKind::Connect, "the proxy did not open a connection"));
    }
  });
}

void Dial::on_connected(const error_code& error) {
  if (is_descriptor_shortage(error)) return on_shortage(no_descriptor());
  if (error) {
    const bool is_v4 = tools_.proxy ? proxies_[proxy_].is_v4() : targets_[target_].is_v4();
    return on_connect_failed(connect_failure(error.value(), is_v4));
  }
  error_code ignored;
  connection_->socket().set_option(tcp::no_delay(true), ignored);
  connection_->born_at = tools_.clock.mono();
  if (tools_.proxy) return begin_tunnel();
  const std::string objection = objection_to_peer();
  if (!objection.empty()) return fail(blocked(objection));
  begin_tls();
}

// An idle connection of ours goes, and this one is tried again.
void Dial::on_shortage(const Failure& failure) {
  if (++relieved_ > kRelievedMax) return fail(failure);
  connection_.reset();
  enter(Stage::Waiting);
  auto self = shared_from_this();
  tools_.places->relieve([self, failure](bool is_freed) {
    if (self->stage_ != Stage::Waiting) return;
    if (!is_freed) return self->fail(failure);
    self->connect();
  });
}

void Dial::on_connect_failed(const Failure& failure) {
  if (failure.outcome == policy::Outcome::our_fault()) return fail(failure);
  if (!tools_.proxy) return try_next(failure);
  // The proxy's own address. Which receiver it was for does not matter.
  if (++proxy_ < proxies_.size()) return connect();
  fail(proxy_fault("the proxy cannot be reached: " + failure.error));
}

void Dial::try_next(const Failure& failure) {
  if (++target_ >= targets_.size()) return fail(failure);
  connect();
}

std::string Dial::objection_to_peer() {
  error_code error;
  const tcp::endpoint peer = connection_->socket().remote_endpoint(error);
  if (error) return {};  // It is gone already, which the first write will tell.
  const IpAddress ip = to_ip(peer.address());
  if (tools_.guard.check(ip, peer.port()).is_allowed) return {};
  return tools_.guard.explain(ip, peer.port());
}

void Dial::begin_tunnel() {
  enter(Stage::Tunnelling);
  tunnel_.emplace(tools_.proxy->kind, SocketAddress{targets_[target_], to_.url.port});
  output_.clear();
  send_to_proxy();
}

void Dial::send_to_proxy() {
  output_ += tunnel_->take_output();
  while (!output_.empty()) {
    const Connection::Step step = connection_->write(output_);
    if (step.io == Connection::Io::WantWrite) return wait(step.io);
    if (step.io != Connection::Io::Done)
      return fail(proxy_fault("the proxy closed the connection"));
    output_.erase(0, step.bytes);
  }
  wait(Connection::Io::WantRead);
}

void Dial::on_proxy_input() {
  if (!output_.empty()) return send_to_proxy();
  std::array<char, 1024> space{};
  for (;;) {
    const Connection::Step step = connection_->read(space);
    if (step.io == Connection::Io::WantRead) return wait(step.io);
    if (step.io != Connection::Io::Done)
      return fail(proxy_fault("the proxy closed the connection"));
    const auto progress = tunnel_->feed({space.data(), step.bytes});
    if (progress == ProxyHandshake::Progress::Open) return begin_tls();
    if (progress == ProxyHandshake::Progress::Failed) {
      const Failure failure = tunnel_->failure();
      if (failure.outcome == policy::Outcome::our_fault()) return fail(failure);
      return try_next(failure);
    }
    output_ = tunnel_->take_output();
    if (!output_.empty()) return send_to_proxy();
  }
}

void Dial::begin_tls() {
  budget_.cancel();
  if (!to_.url.is_https) return finish({with_place(), std::nullopt, {}});
  enter(Stage::ShakingHands);
  auto context = tools_.tls.find(to_.tls, tools_.clock.mono());
  if (!context.ok()) return fail(tls_failure(context.error()));
  if (!connection_->begin_tls(*std::move(context), to_.url)) {
    return fail(our_fault("out of memory for TLS", model::FaultCause::Memory));
  }
  shake_hands();
}

void Dial::shake_hands() {
  const Connection::Step step = connection_->shake_hands();
  switch (step.io) {
    case Connection::Io::Done:
      return finish({with_place(), std::nullopt, {}});
    case Connection::Io::WantRead:
    case Connection::Io::WantWrite:
      return wait(step.io);
    case Connection::Io::End:
    case Connection::Io::Failed:
      return fail(failed(FailureKind::Tls, handshake_error(connection_->tls())));
  }
}

void Dial::wait(Connection::Io io) {
  auto self = shared_from_this();
  tcp::socket& socket = connection_->socket();
  if (io == Connection::Io::WantWrite) {
    socket.async_wait(tcp::socket::wait_write, [self, era = era_](const error_code&) {
      if (self->stage_ != Stage::Over && self->era_ == era) self->resume();
    });
    return;
  }
  socket.async_receive(connection_->wait_space(),
                       [self, era = era_](const error_code& error, std::size_t bytes) {
                         if (self->stage_ == Stage::Over || self->era_ != era) return;
                         self->connection_->took(error, bytes);
                         self->resume();
                       });
}

void Dial::resume() {
  if (stage_ == Stage::Tunnelling) return on_proxy_input();
  if (stage_ == Stage::ShakingHands) return shake_hands();
}

std::unique_ptr<Connection> Dial::with_place() {
  connection_->place = std::move(place_);
  return std::move(connection_);
}

void Dial::fail(Failure failure) { finish({nullptr, std::move(failure), {}}); }

void Dial::finish(Outcome outcome) {
  outcome.timings = timings();
  stage_ = Stage::Over;
  budget_.cancel();
  connection_.reset();
  place_ = {};
  const Done done = std::exchange(done_, nullptr);
  done(std::move(outcome));
}

}  // namespace petrel::dispatch
