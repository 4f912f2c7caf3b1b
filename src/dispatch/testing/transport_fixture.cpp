#include "dispatch/testing/transport_fixture.h"

#include <optional>
#include <utility>

#include <boost/asio/steady_timer.hpp>

namespace petrel::dispatch {
namespace {

constexpr Duration kPatience = std::chrono::seconds(20);

signature::KeyRing some_keys() {
  SeededSecureRandom random(7);
  return {.current = signature::Secret::generate(random)};
}

}  // namespace

TransportFixture::TransportFixture() : endpoint_(std::make_shared<model::Endpoint>(some_keys())) {
  SeededSecureRandom random(8);
  endpoint_->id = EndpointId(Ksuid::make(wall_from_unix_seconds(1'700'000'000), random));
}

net::AddressGuard TransportFixture::loopback_guard() {
  return *net::AddressGuard::make("127.0.0.1/32", {});
}

void TransportFixture::start(HttpTransportSettings settings) {
  auto made = HttpTransport::make(loop_, clock_, std::move(settings));
  ASSERT_TRUE(made.ok()) << made.error().text();
  transport_ = *std::move(made);
}

void TransportFixture::start() {
  HttpTransportSettings settings;
  settings.guard = loopback_guard();
  start(std::move(settings));
}

void TransportFixture::point_at(const std::string& url) {
  endpoint_ = std::make_shared<model::Endpoint>(*endpoint_);
  endpoint_->url = url;
}

void TransportFixture::point_at(std::uint16_t port) {
  point_at("http://127.0.0.1:" + std::to_string(port) + "/hook");
}

model::AttemptOrder TransportFixture::order(Duration timeout) {
  return {.delivery = {.endpoint = endpoint_->id, .message = MessageId(Ksuid())},
          .endpoint = endpoint_,
          .payload = payload_,
          .started_at = wall_from_unix_seconds(1'700'000'000),
          .timeout = timeout};
}

model::AttemptResult TransportFixture::attempt(Duration timeout) {
  auto result = std::make_shared<std::optional<model::AttemptResult>>();
  transport_->send(order(timeout), [result](model::AttemptResult came) {
    EXPECT_FALSE(result->has_value()) << "answered twice";
    *result = std::move(came);
  });
  EXPECT_FALSE(result->has_value()) << "answered from within send()";
  if (!run_until([&] { return result->has_value(); })) {
    ADD_FAILURE() << "no result";
    return {};
  }
  return **result;
}

bool TransportFixture::run_until(const std::function<bool()>& is_so) {
  const MonoTime deadline = clock_.mono() + kPatience;
  loop_.restart();
  boost::asio::steady_timer keeps_running(loop_);
  keeps_running.expires_after(kPatience);
  keeps_running.async_wait([](const boost::system::error_code&) {});
  while (!is_so()) {
    if (clock_.mono() >= deadline) return false;
    loop_.run_one_for(std::chrono::milliseconds(100));
  }
  return true;
}

}  // namespace petrel::dispatch
