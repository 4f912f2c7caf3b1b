// Metrics names what Petrel counts. One of it is made at start-up and handed to all that count.
//
//   petrel_messages_accepted_total
//   petrel_deliveries_total{result="delivered|dead"}
//   petrel_attempts_total{outcome="success|failure|timeout|connect|dns|tls|reset|protocol|…"}
//   petrel_retries_total
//   petrel_attempt_duration_seconds{phase="dns|connect|tls|first_byte|total"}
//   petrel_delivery_delay_seconds
//   petrel_own_faults_total{cause="resolver|descriptors|…"}
//   petrel_timer_delay_seconds
//   petrel_api_requests_total{method="…",route="…",status="…"}
//   petrel_notices_total{result="made|lost"}
//   petrel_deliveries_quarantined{state="suspected|held"}
//   petrel_retention_dropped_total{kind="message|payload|delivery|attempt"}
//   petrel_retention_dropped_payload_bytes_total
//   petrel_kept_messages, petrel_kept_payloads, petrel_kept_payload_bytes
//   petrel_build_info{version="…"}
//
// Thread: safe.

#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "metric/counter.h"
#include "metric/registry.h"

namespace petrel::metric {

// How an attempt ended, as it is counted.
enum class AttemptLabel : std::uint8_t {
  Success,
  Failure,  // An answer that is no success.
  Timeout,
  Connect,
  Dns,
  Tls,
  Reset,
  Protocol,
  Blocked,
  OurFault,
};

inline constexpr std::size_t kAttemptLabels = static_cast<std::size_t>(AttemptLabel::OurFault) + 1;

std::string_view to_string(AttemptLabel label);

// What an attempt spends its time on.
enum class AttemptPhase : std::uint8_t { Dns, Connect, Tls, FirstByte, Total };

inline constexpr std::size_t kAttemptPhases = static_cast<std::size_t>(AttemptPhase::Total) + 1;

std::string_view to_string(AttemptPhase phase);

// Why an attempt was no attempt, by a fault of ours.
enum class OwnFaultLabel : std::uint8_t {
  Resolver,
  Descriptors,
  Ports,
  Memory,
  Proxy,
  Store,
  Stopped,
  Other,
};

inline constexpr std::size_t kOwnFaultLabels = static_cast<std::size_t>(OwnFaultLabel::Other) + 1;

std::string_view to_string(OwnFaultLabel label);

class Metrics {
 public:
  // The version that petrel_build_info shows.
  explicit Metrics(std::string_view version);

  Counter& messages_accepted() { return messages_accepted_; }
  Counter& deliveries_delivered() { return deliveries_delivered_; }
  Counter& deliveries_dead() { return deliveries_dead_; }
  Counter& attempts(AttemptLabel label) { return *attempts_[static_cast<std::size_t>(label)]; }

  Counter& retries() { return retries_; }
  Counter& own_faults(OwnFaultLabel label) { return *own_faults_[static_cast<std::size_t>(label)]; }
  Histogram& attempt_duration(AttemptPhase phase) {
    return *attempt_durations_[static_cast<std::size_t>(phase)];
  }
  Histogram& delivery_delay() { return delivery_delay_; }

  // By how much a loop's timer for the next due moment went off too late.
  Histogram& timer_delay() { return timer_delay_; }

  CounterFamily& api_requests() { return api_requests_; }

  // What the server had to tell an organisation: handed to the intake, or not.
  Counter& notices_made() { return notices_made_; }
  Counter& notices_lost() { return notices_lost_; }

  // In flight at crashes: those that go all the same, and those that do not.
  Gauge& deliveries_suspected() { return deliveries_suspected_; }
  Gauge& deliveries_held() { return deliveries_held_; }

  // What was dropped because its retention is over, and what is kept as of the last sweep.
  struct Retention {
    Counter& messages;
    Counter& payloads;
    Counter& deliveries;
    Counter& attempts;
    Counter& payload_bytes;
    Gauge& kept_messages;
    Gauge& kept_payloads;
    Gauge& kept_payload_bytes;
  };
  Retention& retention() { return retention_; }

  // For what is counted in one place only and has no name here.
  Registry& registry() { return registry_; }
  const Registry& registry() const { return registry_; }

 private:
  Registry registry_;
  Counter& messages_accepted_;
  CounterFamily& deliveries_;
  Counter& deliveries_delivered_;
  Counter& deliveries_dead_;
  CounterFamily& notices_;
  Counter& notices_made_;
  Counter& notices_lost_;
  GaugeFamily& quarantined_;
  Gauge& deliveries_suspected_;
  Gauge& deliveries_held_;
  std::array<Counter*, kAttemptLabels> attempts_{};
  Counter& retries_;
  std::array<Counter*, kOwnFaultLabels> own_faults_{};
  std::array<Histogram*, kAttemptPhases> attempt_durations_{};
  Histogram& delivery_delay_;
  Histogram& timer_delay_;
  CounterFamily& api_requests_;
  CounterFamily& dropped_;
  Retention retention_;
};

}  // namespace petrel::metric
