#include "neighbours.h"

#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "percentile.h"
#include "producer.h"

namespace petrel::bench {
namespace {

constexpr int kPorts = 16;
constexpr const char* kHanging = "hanging";

// The number behind `key` in a JSON text.
double number_in(const std::string& json, std::string_view key) {
  const std::size_t at = json.find(key);
  if (at == std::string::npos) throw std::runtime_error(fmt::format("no {} in {}", key, json));
  return std::stod(json.substr(at + key.size()));
}

void append(std::vector<std::int64_t>& all, const std::vector<std::int64_t>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

Neighbours::Place::Place(const NeighbourSettings& settings, const std::string& name,
                         const Receiver& receiver)
    : server(settings.binary, settings.folder + "/" + name),
      application(prepare(server, receiver, settings.turn.endpoints, settings.sending)) {}

Neighbours::Neighbours(NeighbourSettings settings)
    : settings_(std::move(settings)),
      receiver_(kPorts),
      silent_(listen_on_loopback()),
      alone_(settings_, "alone", receiver_),
      beside_(settings_, "beside", receiver_) {
  fill();
  // Connections are made, and whatever is done once is done.
  Pool forgotten;
  take_turn(alone_, forgotten);
  take_turn(beside_, forgotten);
}

void Neighbours::fill() {
  const PetrelProcess& server = beside_.server;
  hanging_application_ = server.create_application(kHanging);
  server.create_endpoint(
      hanging_application_,
      fmt::format(R"({{"url":"http://127.0.0.1:{}/","uid":"{}","timeout":"{}"}})", silent_.port,
                  kHanging, settings_.deadline));
  produce({.port = server.port(),
           .token = server.token(),
           .application = hanging_application_,
           .messages = settings_.backlog,
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
  const std::string health = beside_.server.call(
      "GET", fmt::format("/api/v1/app/{}/endpoint/{}/health", hanging_application_, kHanging), "");
  return {.alone = side_of(alone),
          .beside = side_of(beside),
          .hanging = number_in(health, R"("inFlight":)"),
          .waiting = number_in(health, R"("fresh":)") + number_in(health, R"("retrying":)")};
}

}  // namespace petrel::bench
