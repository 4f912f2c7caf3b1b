// Samples are the ids, moments, deliveries and lanes that the tests of this room are about.

#pragma once

#include <memory>
#include <string>

#include "base/id.h"
#include "base/secure_random.h"
#include "base/time.h"
#include "engine/lane_state.h"
#include "engine/now.h"
#include "model/delivery.h"
#include "policy/retry_policy.h"

namespace petrel::engine {

inline constexpr WallTime kWallStart = wall_from_unix_seconds(1'800'000'000);
inline constexpr MonoTime kMonoStart = MonoTime(std::chrono::seconds(1'000));

// `since_start` after the start, on both clocks.
inline Now moment(Duration since_start) {
  return {kWallStart + since_start, kMonoStart + since_start};
}

// The n-th id of its kind; they stand in the order of their numbers.
template <typename Id>
Id nth(int number) {
  Ksuid::Bytes bytes{};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto byte = static_cast<std::uint8_t>(static_cast<unsigned>(number) >> (24 - 8 * i));
    bytes[Ksuid::kBytes - 4 + i] = byte;
  }
  return Id(Ksuid(bytes));
}

inline MessageId message_id(int number) { return nth<MessageId>(number); }
inline EndpointId endpoint_id(int number) { return nth<EndpointId>(number); }

// Never tried, accepted when it is due.
inline model::Delivery pending(int message, Duration due = {}, int endpoint = 1) {
  model::Delivery delivery;
  delivery.key = {endpoint_id(endpoint), message_id(message)};
  delivery.due_at = kWallStart + due;
  delivery.updated_at = delivery.due_at;
  return delivery;
}

// Tried once, and due again.
inline model::Delivery retrying(int message, Duration due = {}, int endpoint = 1) {
  model::Delivery delivery = pending(message, due, endpoint);
  delivery.state = model::DeliveryState::Retrying;
  delivery.progress.attempts = 1;
  delivery.progress.give_up_at = delivery.due_at + std::chrono::hours(1);
  delivery.attempts_total = 1;
  delivery.last_outcome = 500;
  delivery.updated_at = kWallStart - std::chrono::seconds(1);
  return delivery;
}

// Always ten seconds, up to five attempts within an hour.
inline policy::RetryPolicy ten_seconds() {
  policy::RetryPolicy policy;
  policy.backoff.strategy = policy::Strategy::Fixed;
  policy.backoff.delay_base = std::chrono::seconds(10);
  policy.backoff.jitter = policy::Jitter::None;
  policy.attempts_max = 5;
  policy.give_up_after = std::chrono::hours(1);
  return policy;
}

inline model::EndpointPtr endpoint_at(const std::string& url, int number = 1) {
  SeededSecureRandom random(7);
  model::Endpoint endpoint({.current = signature::Secret::generate(random)});
  endpoint.id = endpoint_id(number);
  endpoint.application = nth<ApplicationId>(1);
  endpoint.url = url;
  return std::make_shared<const model::Endpoint>(std::move(endpoint));
}

// Each on a host of its own.
inline LaneConfig lane_config(int endpoint) {
  const std::string authority = "https://host" + std::to_string(endpoint) + ":443";
  return {.endpoint = endpoint_id(endpoint),
          .application = nth<ApplicationId>(1),
          .record = endpoint_at(authority + "/hook", endpoint),
          .authority = authority,
          .policy = std::make_shared<policy::RetryPolicy>(ten_seconds()),
          .timeout = std::chrono::seconds(15),
          .settings = {}};
}

}  // namespace petrel::engine
