#include "backlog.h"

#include <utility>

#include <fmt/format.h>

#include "clock.h"
#include "producer.h"

namespace petrel::bench {
namespace {

constexpr int kDownPorts = 8;
constexpr int kDownEndpoints = 100;

// Whatever has been tried once waits for an hour.
constexpr std::string_view kPatientPolicy =
    R"({"strategy":"fixed","baseDelay":"1h","maxAttempts":20})";

double ms_since(std::int64_t from_ns) { return seconds_between(from_ns, now_ns()) * 1000; }

}  // namespace

Backlog::Backlog(BacklogSettings settings) : settings_(std::move(settings)), receiver_(1) {
  for (int i = 0; i < kDownPorts; ++i) down_.push_back(refuse_on_loopback());
  full_ = set_up("full", true);
  empty_ = set_up("empty", false);
}

Backlog::Place Backlog::set_up(const std::string& name, bool is_filled) {
  Place place{.folder = settings_.folder + "/" + name, .application = "", .token = ""};
  PetrelProcess server(settings_.binary, place.folder);
  place.application = prepare(server, receiver_, 1, settings_.load);
  place.token = server.token();
  if (is_filled) fill(server);
  server.stop();
  return place;
}

void Backlog::fill(const PetrelProcess& server) {
  const std::string application = server.create_application("down");
  for (std::size_t i = 0; i < kDownEndpoints; ++i) {
    server.create_endpoint(application,
                           fmt::format(R"({{"url":"http://127.0.0.1:{}/","retryPolicy":{}}})",
                                       down_[i % kDownPorts].port, kPatientPolicy));
  }
  const ProducerTally tally = produce({.port = server.port(),
                                       .token = server.token(),
                                       .application = application,
                                       .messages = settings_.deliveries / kDownEndpoints,
                                       .connections = settings_.load.connections,
                                       .payload_bytes = settings_.load.payload_bytes});
  filled_per_s_ = settings_.deliveries / seconds_between(tally.began_at_ns, tally.ended_at_ns);
}

RestartFigures Backlog::restart(const Place& place) {
  RestartFigures figures;
  const std::int64_t began_at_ns = now_ns();
  PetrelProcess server(settings_.binary, place.folder, place.token);
  figures.listens_ms = ms_since(began_at_ns);

  LoadSettings alone = settings_.load;
  alone.connections = 1;
  measure(server, receiver_, place.application, {.endpoints = 1, .messages = 1}, alone);
  figures.first_delivery_ms = ms_since(began_at_ns);
  figures.rss_mib = server.rss_mib();

  const Load load{.endpoints = 1, .messages = settings_.fresh_messages};
  figures.load = measure(server, receiver_, place.application, load, settings_.load);
  server.stop();
  return figures;
}

}  // namespace petrel::bench
