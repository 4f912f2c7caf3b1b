// Metrics names what Petrel counts. One of it is made at start-up and handed to all that count.
//
//   petrel_messages_accepted_total
//   petrel_deliveries_total{result="delivered|dead"}
//   petrel_attempts_total{outcome="success|failure|timeout|connect|dns|tls|reset|protocol|…"}
//   petrel_notices_total{result="made|lost"}
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

std::string_view to_string(AttemptLabel label);

class Metrics {
 public:
  // The version that petrel_build_info shows.
  explicit Metrics(std::string_view version);

  Counter& messages_accepted() { return messages_accepted_; }
  Counter& deliveries_delivered() { return deliveries_delivered_; }
  Counter& deliveries_dead() { return deliveries_dead_; }
  Counter& attempts(AttemptLabel label) { return *attempts_[static_cast<std::size_t>(label)]; }

  // What the server had to tell an organisation: handed to the intake, or not.
  Counter& notices_made() { return notices_made_; }
  Counter& notices_lost() { return notices_lost_; }

  // For what is counted in one place only and has no name here.
  Registry& registry() { return registry_; }
  const Registry& registry() const { return registry_; }

 private:
  static constexpr std::size_t kAttemptLabels = 10;

  Registry registry_;
  Counter& messages_accepted_;
  CounterFamily& deliveries_;
  Counter& deliveries_delivered_;
  Counter& deliveries_dead_;
  CounterFamily& notices_;
  Counter& notices_made_;
  Counter& notices_lost_;
  std::array<Counter*, kAttemptLabels> attempts_{};
};

}  // namespace petrel::metric
