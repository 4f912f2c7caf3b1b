#include "idle.h"

#include <future>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/random.h"
#include "engine/settling.h"
#include "intake/new_message.h"
#include "payload.h"
#include "petrel_process.h"
#include "scratch_store.h"
#include "socket.h"
#include "store/kept_lane.h"

namespace petrel::bench {
namespace {

// Longer than it is watched: the circuits wait all the time, and none is probed.
constexpr Duration kOpenFor = std::chrono::hours(10);

// What a start leaves behind is done when a second costs less than this, and is not waited for
// longer than that.
constexpr double kRestCpuSeconds = 0.001;
constexpr int kRestSecondsMax = 60;

std::string open_lane(WallTime now) {
  lane::Lane::Snapshot snapshot;
  snapshot.breaker.state = lane::CircuitBreaker::State::Open;
  snapshot.breaker.why = "20 failures in a row";
  snapshot.breaker.first_opened_ago = snapshot.breaker.since_ago;
  snapshot.breaker.open_left = kOpenFor;
  std::string bytes;
  store::encode({snapshot, now}, bytes);
  return bytes;
}

void come_to_rest(const PetrelProcess& server) {
  for (int waited = 0; waited < kRestSecondsMax; ++waited) {
    const double before = server.cpu_seconds();
    std::this_thread::sleep_for(std::chrono::seconds(1));
    if (server.cpu_seconds() - before < kRestCpuSeconds) return;
  }
}

// One message for each endpoint of the store, whose first attempt failed and opened the circuit.
void open_circuits(const std::string& folder) {
  SystemClock clock;
  const auto store = open_scratch_store(folder, clock);
  std::vector<store::EndpointPtr> endpoints;
  for (const model::Endpoint& each : must(store->all_endpoints())) {
    endpoints.push_back(std::make_shared<const model::Endpoint>(each));
  }
  SeededSecureRandom secure(1);
  KsuidMaker ids(secure);
  Random random(1);
  const WallTime now = clock.wall();
  intake::NewMessage message{};
  message.application = endpoints.at(0)->application;
  message.event_type = "bench.message";
  message.payload = std::make_shared<const std::string>(make_payload(1024));
  store::Acceptance acceptance = must(intake::plan(std::move(message), endpoints, now, ids));

  std::vector<model::Settlement> settlements;
  for (const model::Delivery& delivery : acceptance.deliveries) {
    model::AttemptResult result;
    result.outcome = policy::Outcome::failed(policy::FailureKind::Connect);
    const policy::AttemptEnd end = engine::attempt_end(result, now, now);
    const policy::Decision decision = policy::decide({}, delivery.progress, end, random);
    settlements.push_back(engine::settlement_of(
        {.delivery = delivery, .url = "http://127.0.0.1/", .started_at = now, .ended_at = now},
        decision, std::move(result), ids));
    settlements.back().lane = open_lane(now);
  }
  std::promise<Status> accepted;
  std::promise<Status> settled;
  store->accept({std::move(acceptance)}, [&](const Result<std::vector<store::Accepted>>& answer) {
    accepted.set_value(answer.ok() ? Status(Done{}) : Status(answer.error()));
  });
  must(accepted.get_future().get());
  store->settle(std::move(settlements), [&](const Result<std::vector<store::Settled>>& answer) {
    settled.set_value(answer.ok() ? Status(Done{}) : Status(answer.error()));
  });
  must(settled.get_future().get());
  store->close();
}

}  // namespace

Idle::Idle(IdleSettings settings)
    : settings_(std::move(settings)), at_ease_(set_up("ease")), open_(set_up("open")) {
  open_circuits(open_.folder);
}

Idle::Place Idle::set_up(const std::string& name) const {
  Place place{.folder = settings_.folder + "/" + name, .application = "", .token = ""};
  PetrelProcess server(settings_.binary, place.folder);
  place.token = server.token();
  place.application = server.create_application("bench");
  for (int i = 0; i < settings_.endpoints; ++i) {
    server.create_endpoint(place.application,
                           fmt::format(R"({{"url":"http://127.0.0.1:9/","uid":"e{}"}})", i));
  }
  server.stop();
  return place;
}

IdleFigures Idle::watch(const Place& place, const std::string& circuit) const {
  PetrelProcess server(settings_.binary, place.folder, place.token);
  come_to_rest(server);
  const double before = server.cpu_seconds();
  std::this_thread::sleep_for(settings_.watched);
  const double spent = server.cpu_seconds() - before;
  const double seconds = std::chrono::duration<double>(settings_.watched).count();
  const std::string health =
      server.call("GET", fmt::format("/api/v1/app/{}/endpoint/e0/health", place.application), "");
  if (health.find(fmt::format(R"("state":"{}")", circuit)) == std::string::npos) {
    throw std::runtime_error(fmt::format("the circuit is not {}: {}", circuit, health));
  }
  return {.cpu_ms_per_s = spent * 1000 / seconds, .rss_mib = server.rss_mib()};
}

}  // namespace petrel::bench
