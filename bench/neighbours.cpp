#include "neighbours.h"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "clock.h"
#include "percentile.h"
#include "producer.h"

namespace petrel::bench {
namespace {

constexpr int kPorts = 16;

// The limit grows by one with each round of answers: to some 150 from ten.
constexpr int kGrowMessages = 12'000;
constexpr int kGrowInFlight = 1000;

constexpr std::int64_t kSettledNs = 10'000'000'000;

// The number behind `key` in a text. Empty if it is not there.
std::optional<double> number_in(const std::string& text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string::npos) return std::nullopt;
  return std::stod(text.substr(at + key.size()));
}

void append(std::vector<std::int64_t>& all, const std::vector<std::int64_t>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

Neighbours::Place::Place(const NeighbourSettings& settings, const std::string& name,
                         const Receiver& receiver)
    : server(settings.binary, settings.folder + "/" + name, "",
             {"--shards", std::to_string(settings.shards)}),
      application(prepare(server, receiver, settings.turn.endpoints, settings.sending)) {}

Neighbours::Neighbours(NeighbourSettings settings)
    : settings_(std::move(settings)),
      receiver_(kPorts),
      turncoat_(1),
      alone_(settings_, "alone", receiver_),
      beside_(settings_, "beside", receiver_) {
  // Connections are made, and whatever is done once is done.
  Pool forgotten;
  take_turn(alone_, forgotten);
  take_turn(beside_, forgotten);
  const std::string application = beside_.server.create_application("hanging");
  if (settings_.hanging.is_grown) {
    grow(application);
  } else {
    add_hanging(application);
  }
  post(application, settings_.hanging.messages);
}

void Neighbours::add_hanging(const std::string& application) {
  for (int i = 0; i < settings_.hanging.endpoints; ++i) {
    silent_.push_back(listen_on_loopback());
    beside_.server.create_endpoint(application,
                                   fmt::format(R"({{"url":"http://127.0.0.1:{}/","timeout":"{}"}})",
                                               silent_.back().port, settings_.deadline));
  }
}

void Neighbours::grow(const std::string& application) {
  beside_.server.create_endpoint(application,
                                 fmt::format(R"({{"url":"{}","timeout":"{}","maxInFlight":{}}})",
                                             turncoat_.url(0), settings_.deadline, kGrowInFlight));
  turncoat_.expect(1, kGrowMessages);
  post(application, kGrowMessages);
  turncoat_.wait();
  turncoat_.hang();
}

void Neighbours::post(const std::string& application, int messages) const {
  produce({.port = beside_.server.port(),
           .token = beside_.server.token(),
           .application = application,
           .messages = messages,
           .connections = settings_.sending.connections,
           .payload_bytes = settings_.sending.payload_bytes});
}

void Neighbours::take_turn(const Place& place, Pool& pool) {
  const Samples samples =
      put_on(place.server, receiver_, place.application, settings_.turn, settings_.sending);
  append(pool.ack_ns, samples.produced.ack_ns);
  append(pool.way_ns, samples.received.way_ns);
  pool.cpu_s += samples.cpu_s;
}

NeighbourFigures::Side Neighbours::side_of(Pool& pool) {
  return {.ack_p99_ms = percentile_ms(pool.ack_ns, 0.99),
          .way_p50_ms = percentile_ms(pool.way_ns, 0.50),
          .way_p99_ms = percentile_ms(pool.way_ns, 0.99),
          .cpu_us = pool.cpu_s * 1e6 / static_cast<double>(pool.way_ns.size())};
}

NeighbourFigures Neighbours::measure() {
  Pool alone;
  Pool beside;
  for (int turn = 0; turn < settings_.turns; ++turn) {
    take_turn(alone_, alone);
    take_turn(beside_, beside);
  }
  const std::string metrics = beside_.server.call("GET", "/metrics", "");
  return {.alone = side_of(alone),
          .beside = side_of(beside),
          .slots = number_in(metrics, "\npetrel_slots "),
          .in_use = number_in(metrics, "\npetrel_slots_in_use ")};
}

double in_flight_beside_idle(const std::string& binary, const std::string& folder) {
  const Listener silent = listen_on_loopback();
  const PetrelProcess server(binary, folder + "/pair");
  const std::string idle = server.create_application("idle");
  const std::string busy = server.create_application("busy");
  for (const std::string& application : {idle, busy}) {
    server.create_endpoint(
        application, fmt::format(R"({{"url":"http://127.0.0.1:{}/","uid":"one"}})", silent.port));
  }
  produce({.port = server.port(), .token = server.token(), .application = busy, .messages = 100});
  double most = 0;
  for (const std::int64_t until = now_ns() + kSettledNs; most < 10 && now_ns() < until;) {
    const std::string health =
        server.call("GET", fmt::format("/api/v1/app/{}/endpoint/one/health", busy), "");
    most = number_in(health, R"("inFlight":)").value_or(0);
  }
  return most;
}

}  // namespace petrel::bench
