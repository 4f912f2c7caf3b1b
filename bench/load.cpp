#include "load.h"

#include <fmt/format.h>

#include "clock.h"
#include "percentile.h"

namespace petrel::bench {

std::string prepare(const PetrelProcess& server, const Receiver& receiver, int endpoints,
                    const LoadSettings& settings) {
  const std::string application = server.create_application("bench");
  for (int i = 0; i < endpoints; ++i) {
    server.create_endpoint(application, fmt::format(R"({{"url":"{}","maxInFlight":{}}})",
                                                    receiver.url(i), settings.in_flight_max));
  }
  return application;
}

Samples put_on(const PetrelProcess& server, Receiver& receiver, const std::string& application,
               const Load& load, const LoadSettings& settings) {
  Samples samples;
  receiver.expect(load.endpoints, load.messages);
  const double cpu_before = server.cpu_seconds();
  samples.produced = produce({.port = server.port(),
                              .token = server.token(),
                              .application = application,
                              .messages = load.messages,
                              .connections = settings.connections,
                              .payload_bytes = settings.payload_bytes,
                              .rate = load.rate});
  samples.received = receiver.wait();
  samples.cpu_s = server.cpu_seconds() - cpu_before;
  return samples;
}

Figures measure(const PetrelProcess& server, Receiver& receiver, const std::string& application,
                const Load& load, const LoadSettings& settings) {
  Samples samples = put_on(server, receiver, application, load, settings);
  ProducerTally& produced = samples.produced;
  Receiver::Tally& received = samples.received;
  const auto messages = static_cast<double>(load.messages);
  const double deliveries = messages * load.endpoints;
  const double accepting_s = seconds_between(produced.began_at_ns, produced.ended_at_ns);
  const double delivering_s = seconds_between(produced.began_at_ns, received.last_at_ns);
  return {.accepted_per_s = messages / accepting_s,
          .delivered_per_s = deliveries / delivering_s,
          .ack_p50_ms = percentile_ms(produced.ack_ns, 0.50),
          .ack_p99_ms = percentile_ms(produced.ack_ns, 0.99),
          .way_p50_ms = percentile_ms(received.way_ns, 0.50),
          .way_p99_ms = percentile_ms(received.way_ns, 0.99),
          .cpu_us = samples.cpu_s * 1e6 / deliveries,
          .rss_mib_max = server.rss_mib_max(),
          .refused = static_cast<double>(produced.refused),
          .repeated = static_cast<double>(received.repeated)};
}

}  // namespace petrel::bench
