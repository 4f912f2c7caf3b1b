#include "dispatch/http_transport.h"

#include <unordered_map>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "dispatch/call.h"

namespace petrel::dispatch {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

// Endpoints whose requests are prepared; beyond that any one goes and is prepared again.
constexpr std::size_t kWritersMax = 65'536;

constexpr Duration kSweepInterval = std::chrono::seconds(1);

std::shared_ptr<net::DescriptorBudget> ample_budget() {
  return net::DescriptorBudget::make({.store = 0, .accepted = 0, .outgoing = 1'000'000});
}

}  // namespace

class HttpTransport::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(DialTools dial, const std::shared_ptr<MemoryBudget>& memory, std::string user_agent)
      : tools_(std::move(dial), memory),
        user_agent_(std::move(user_agent)),
        deadline_timer_(tools_.dial.loop),
        sweep_timer_(tools_.dial.loop) {}

  ~Impl() {
    while (!tools_.calls.empty()) {
      const std::shared_ptr<Call> call = tools_.calls.begin()->second;
      tools_.calls.erase(tools_.calls.begin());
      call->drop();
    }
  }

  void send(model::AttemptOrder order, Done done) {
    auto [writer, failure] = writer_for(order.endpoint);
    if (writer == nullptr) return refuse(std::move(failure), std::move(done));
    auto call =
        std::make_shared<Call>(tools_, std::move(writer), std::move(order), std::move(done));
    tools_.calls.emplace(call->deadline(), call);
    arm_deadline();
    arm_sweep();
    call->start();
  }

  void cancel_all() {
    while (!tools_.calls.empty()) {
      const std::shared_ptr<Call> call = tools_.calls.begin()->second;
      call->cancel();
    }
  }

  void relieve(std::function<void(bool)> done) { tools_.dial.places->relieve(std::move(done)); }

  const CallTools& tools() const { return tools_; }

 private:
  struct Found {
    std::shared_ptr<RequestWriter> writer;
    Failure failure;
  };

  // The same version of the endpoint as last time needs no new preparation.
  Found writer_for(const EndpointPtr& endpoint) {
    const auto known = writers_.find(endpoint->id);
    if (known != writers_.end() && known->second->endpoint() == endpoint) {
      return {known->second, our_fault({})};
    }
    Result<RequestWriter> made = RequestWriter::make(endpoint, user_agent_);
    if (!made.ok()) return {nullptr, {policy::Outcome::blocked(), made.error().detail}};
    if (known == writers_.end() && writers_.size() >= kWritersMax) writers_.erase(writers_.begin());
    auto writer = std::make_shared<RequestWriter>(*std::move(made));
    writers_[endpoint->id] = writer;
    return {std::move(writer), our_fault({})};
  }

  void refuse(Failure failure, Done done) {
    model::AttemptResult result;
    result.outcome = failure.outcome;
    result.error = std::move(failure.error);
    asio::post(tools_.dial.loop, [done = std::move(done), result = std::move(result)]() mutable {
      done(std::move(result));
    });
  }

  // One timer for all deadlines. It is moved only to be earlier: attempts that have ended leave it
  // as it is, and when it fires in vain it is set for the next one.
  void arm_deadline() {
    if (tools_.calls.empty()) return;
    const MonoTime first = tools_.calls.begin()->first;
    if (is_deadline_armed_ && first >= armed_for_) return;
    is_deadline_armed_ = true;
    armed_for_ = first;
    deadline_timer_.expires_after(first - tools_.dial.clock.mono());
    deadline_timer_.async_wait([weak = weak_from_this()](const error_code& error) {
      const auto self = weak.lock();
      if (!error && self) self->on_deadline();
    });
  }

  void on_deadline() {
    is_deadline_armed_ = false;
    const MonoTime now = tools_.dial.clock.mono();
    while (!tools_.calls.empty() && tools_.calls.begin()->first <= now) {
      const std::shared_ptr<Call> call = tools_.calls.begin()->second;
      call->on_deadline();
    }
    arm_deadline();
  }

  void arm_sweep() {
    if (is_sweep_armed_) return;
    is_sweep_armed_ = true;
    sweep_timer_.expires_after(kSweepInterval);
    sweep_timer_.async_wait([weak = weak_from_this()](const error_code& error) {
      const auto self = weak.lock();
      if (!error && self) self->on_sweep();
    });
  }

  void on_sweep() {
    is_sweep_armed_ = false;
    const MonoTime now = tools_.dial.clock.mono();
    tools_.pool.sweep(now);
    tools_.dial.tls.sweep(now);
    const bool is_more = tools_.pool.idle() > 0 || tools_.dial.tls.own() > 0;
    if (is_more || !tools_.calls.empty()) arm_sweep();
  }

  CallTools tools_;
  std::string user_agent_;
  std::unordered_map<EndpointId, std::shared_ptr<RequestWriter>> writers_;
  asio::steady_timer deadline_timer_;
  asio::steady_timer sweep_timer_;
  bool is_deadline_armed_ = false;
  bool is_sweep_armed_ = false;
  MonoTime armed_for_{};
};

Result<std::unique_ptr<HttpTransport>> HttpTransport::make(asio::io_context& loop,
                                                           const Clock& clock,
                                                           HttpTransportSettings settings) {
  std::optional<Proxy> proxy;
  if (!settings.proxy.empty()) {
    auto parsed = Proxy::parse(settings.proxy);
    if (!parsed.ok()) return parsed.error();
    proxy = *std::move(parsed);
  }
  auto resolver = net::Resolver::make(loop, clock, settings.resolver);
  if (!resolver.ok()) return resolver.error();
  auto tls = TlsContext::make(settings.ca_file);
  if (!tls.ok()) return tls.error();
  if (!settings.descriptors) settings.descriptors = ample_budget();
  if (!settings.idle) settings.idle = std::make_shared<IdleConnections>();
  auto places = std::make_unique<ConnectionPlaces>(
      ConnectionPlaces::Parts{loop, std::move(settings.descriptors), std::move(settings.idle)},
      settings.pool);
  DialTools dial{loop,
                 clock,
                 std::move(settings.guard),
                 std::move(proxy),
                 *std::move(resolver),
                 TlsContexts(*std::move(tls)),
                 std::move(places)};
  auto impl =
      std::make_shared<Impl>(std::move(dial), settings.memory, std::move(settings.user_agent));
  return std::unique_ptr<HttpTransport>(new HttpTransport(std::move(impl)));
}

HttpTransport::HttpTransport(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpTransport::~HttpTransport() = default;

void HttpTransport::send(model::AttemptOrder order, Done done) {
  impl_->send(std::move(order), std::move(done));
}

void HttpTransport::relieve(std::function<void(bool is_freed)> done) {
  impl_->relieve(std::move(done));
}

void HttpTransport::cancel_all() { impl_->cancel_all(); }
std::size_t HttpTransport::idle_connections() const { return impl_->tools().pool.idle(); }
std::size_t HttpTransport::attempts_out() const { return impl_->tools().calls.size(); }

}  // namespace petrel::dispatch
