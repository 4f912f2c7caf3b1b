#include "node/attempt_figures.h"

#include <algorithm>

namespace petrel::node {

metric::AttemptLabel label_of(const policy::Outcome& outcome, bool is_success) {
  using metric::AttemptLabel;
  if (is_success) return AttemptLabel::Success;
  switch (outcome.kind()) {
    case policy::Outcome::Kind::Answered:
      return AttemptLabel::Failure;
    case policy::Outcome::Kind::Blocked:
      return AttemptLabel::Blocked;
    case policy::Outcome::Kind::OurFault:
      return AttemptLabel::OurFault;
    case policy::Outcome::Kind::Failed:
      break;
  }
  switch (outcome.failure()) {
    case policy::FailureKind::Dns:
      return AttemptLabel::Dns;
    case policy::FailureKind::Connect:
      return AttemptLabel::Connect;
    case policy::FailureKind::Tls:
      return AttemptLabel::Tls;
    case policy::FailureKind::Timeout:
      return AttemptLabel::Timeout;
    case policy::FailureKind::Reset:
      return AttemptLabel::Reset;
    case policy::FailureKind::Protocol:
      return AttemptLabel::Protocol;
  }
  return AttemptLabel::Failure;
}

metric::OwnFaultLabel label_of(model::FaultCause cause) {
  using metric::OwnFaultLabel;
  switch (cause) {
    case model::FaultCause::Resolver:
      return OwnFaultLabel::Resolver;
    case model::FaultCause::Descriptors:
      return OwnFaultLabel::Descriptors;
    case model::FaultCause::Ports:
      return OwnFaultLabel::Ports;
    case model::FaultCause::Memory:
      return OwnFaultLabel::Memory;
    case model::FaultCause::Proxy:
      return OwnFaultLabel::Proxy;
    case model::FaultCause::Store:
      return OwnFaultLabel::Store;
    case model::FaultCause::Stopped:
      return OwnFaultLabel::Stopped;
    case model::FaultCause::Other:
      break;
  }
  return OwnFaultLabel::Other;
}

bool is_retry(const model::Settlement& settlement) {
  return settlement.state_before == model::DeliveryState::Retrying;
}

std::optional<Duration> delivery_delay(const model::Settlement& settlement) {
  if (settlement.delivery.is_manual || !settlement.attempt) return std::nullopt;
  WallTime from = settlement.delivery.key.message.time();
  // Before the first attempt it is due when it was accepted, or when the producer said.
  if (!is_retry(settlement)) from = std::max(from, settlement.due_before);
  return std::max(settlement.attempt->ended_at - from, Duration::zero());
}

void count_phases(const model::Timings& timings, metric::Metrics& metrics) {
  using metric::AttemptPhase;
  const auto count = [&](AttemptPhase phase, Duration time) {
    if (time > Duration::zero()) metrics.attempt_duration(phase).observe(time);
  };
  count(AttemptPhase::Dns, timings.dns);
  count(AttemptPhase::Connect, timings.connect);
  count(AttemptPhase::Tls, timings.tls);
  count(AttemptPhase::FirstByte, timings.first_byte);
  metrics.attempt_duration(AttemptPhase::Total).observe(timings.total);
}

void count(const model::Settlement& settlement, metric::Metrics& metrics) {
  const model::Delivery& delivery = settlement.delivery;
  const bool is_delivered = delivery.state == model::DeliveryState::Delivered;
  if (settlement.attempt) {
    metrics.attempts(label_of(settlement.attempt->outcome, is_delivered)).add();
    if (is_retry(settlement)) metrics.retries().add();
    count_phases(settlement.attempt->timings, metrics);
  }
  if (is_delivered) {
    metrics.deliveries_delivered().add();
    if (const auto delay = delivery_delay(settlement)) metrics.delivery_delay().observe(*delay);
  }
  if (delivery.state == model::DeliveryState::Dead) metrics.deliveries_dead().add();
}

}  // namespace petrel::node
