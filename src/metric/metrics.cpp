#include "metric/metrics.h"

#include <string>

namespace petrel::metric {

std::string_view to_string(AttemptLabel label) {
  constexpr std::array<std::string_view, kAttemptLabels> kNames = {
      "success", "failure", "timeout",  "connect", "dns",
      "tls",     "reset",   "protocol", "blocked", "our_fault"};
  return kNames[static_cast<std::size_t>(label)];
}

std::string_view to_string(AttemptPhase phase) {
  constexpr std::array<std::string_view, kAttemptPhases> kNames = {"dns", "connect", "tls",
                                                                   "first_byte", "total"};
  return kNames[static_cast<std::size_t>(phase)];
}

std::string_view to_string(OwnFaultLabel label) {
  constexpr std::array<std::string_view, kOwnFaultLabels> kNames = {
      "resolver", "descriptors", "ports", "memory", "proxy", "store", "stopped", "other"};
  return kNames[static_cast<std::size_t>(label)];
}

Metrics::Metrics(std::string_view version)
    : messages_accepted_(registry_.counter("petrel_messages_accepted_total",
                                           "Messages that were accepted and are on disk.")),
      deliveries_(registry_.counters("petrel_deliveries_total",
                                     "Deliveries that have ended, by result.", {"result"})),
      deliveries_delivered_(deliveries_.with({"delivered"})),
      deliveries_dead_(deliveries_.with({"dead"})),
      notices_(registry_.counters("petrel_notices_total",
                                  "What operational endpoints wanted to hear of, by result.",
                                  {"result"})),
      notices_made_(notices_.with({"made"})),
      notices_lost_(notices_.with({"lost"})),
      quarantined_(registry_.gauges("petrel_deliveries_quarantined",
                                    "Deliveries that were in flight at crashes of the server.",
                                    {"state"})),
      deliveries_suspected_(quarantined_.with({"suspected"})),
      deliveries_held_(quarantined_.with({"held"})),
      retries_(registry_.counter("petrel_retries_total",
                                 "Attempts that were not the first of their delivery.")),
      delivery_delay_(registry_.histogram(
          "petrel_delivery_delay_seconds",
          "From a message's acceptance to its receiver's success, retries included.", kDelays)),
      timer_delay_(registry_.histogram("petrel_timer_delay_seconds",
                                       "How late event loops woke up for what was due.",
                                       kDurations)),
      api_requests_(registry_.counters("petrel_api_requests_total",
                                       "Requests that were answered, by route and status.",
                                       {"method", "route", "status"})),
      dropped_(registry_.counters("petrel_retention_dropped_total",
                                  "What was dropped because its retention is over.", {"kind"})),
      retention_{
          .messages = dropped_.with({"message"}),
          .payloads = dropped_.with({"payload"}),
          .deliveries = dropped_.with({"delivery"}),
          .attempts = dropped_.with({"attempt"}),
          .payload_bytes = registry_.counter("petrel_retention_dropped_payload_bytes_total",
                                             "Bytes of the payloads among them."),
          .kept_messages = registry_.gauge(
              "petrel_kept_messages", "Messages that are kept, as of the last look at retention."),
          .kept_payloads =
              registry_.gauge("petrel_kept_payloads", "Those of them whose payload is kept."),
          .kept_payload_bytes =
              registry_.gauge("petrel_kept_payload_bytes", "Bytes of these payloads.")} {
  CounterFamily& attempts = registry_.counters(
      "petrel_attempts_total", "Attempts that have ended, by how they did.", {"outcome"});
  for (std::size_t i = 0; i < kAttemptLabels; ++i) {
    attempts_[i] = &attempts.with({std::string(to_string(static_cast<AttemptLabel>(i)))});
  }
  HistogramFamily& durations =
      registry_.histograms("petrel_attempt_duration_seconds", "What attempts spend their time on.",
                           {"phase"}, kDurations);
  for (std::size_t i = 0; i < kAttemptPhases; ++i) {
    attempt_durations_[i] = &durations.with({std::string(to_string(static_cast<AttemptPhase>(i)))});
  }
  CounterFamily& faults = registry_.counters(
      "petrel_own_faults_total",
      "Attempts that our side kept from being made, by cause; they cost their deliveries nothing.",
      {"cause"});
  for (std::size_t i = 0; i < kOwnFaultLabels; ++i) {
    own_faults_[i] = &faults.with({std::string(to_string(static_cast<OwnFaultLabel>(i)))});
  }
  registry_.gauges("petrel_build_info", "Which build this is; always 1.", {"version"})
      .with({std::string(version)})
      .set(1);
}

}  // namespace petrel::metric
