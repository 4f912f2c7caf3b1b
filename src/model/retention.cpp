#include "model/retention.h"

#include <algorithm>

namespace petrel::model {
namespace {

// Nobody tells when something live ends. What has ended is kept for a whole period from then on, so
// looking this often misses no end of one.
Duration live_look(const Retention& retention) {
  return std::clamp<Duration>(retention.shortest() / 8, std::chrono::minutes(1),
                              std::chrono::days(1));
}

bool is_live(DeliveryState state) {
  return state == DeliveryState::Pending || state == DeliveryState::Retrying;
}

// On a grid, so that a message that is looked at twice is due for the next look once.
WallTime next_live_look(const Retention& retention, WallTime now) {
  const Duration step = live_look(retention);
  const Duration since = now.time_since_epoch();
  return WallTime(since - since % step + step);
}

}  // namespace

Duration Retention::shortest() const {
  return std::min(std::min(ended, payloads), std::min(attempts, dead_letters));
}

Duration Retention::longest() const {
  return std::max(std::max(ended, payloads), std::max(attempts, dead_letters));
}

bool Retention::is_shorter_than(const Retention& other) const {
  return ended < other.ended || payloads < other.payloads || attempts < other.attempts ||
         dead_letters < other.dead_letters;
}

Retention retention_of(const RetentionSettings& application, const RetentionSettings& server) {
  const auto pick = [&](std::optional<Duration> RetentionSettings::*kind) {
    if (application.*kind) return *(application.*kind);
    if (application.ended) return *application.ended;
    if (server.*kind) return *(server.*kind);
    return server.ended.value_or(kRetentionDefault);
  };
  return {.ended = pick(&RetentionSettings::ended),
          .payloads = pick(&RetentionSettings::payloads),
          .attempts = pick(&RetentionSettings::attempts),
          .dead_letters = pick(&RetentionSettings::dead_letters)};
}

bool keeps_payload(DeliveryState state) { return is_live(state) || state == DeliveryState::Dead; }

Disposal dispose(const Inventory& inventory, const Retention& retention, WallTime now) {
  Disposal over;
  // The earliest end that is still to come; each thing that stays has one, or looks of its own.
  WallTime next = WallTime::max();
  const auto is_over = [&](WallTime until) {
    if (until > now) next = std::min(next, until);
    return until <= now;
  };

  bool has_live = false;
  bool keeps_payload = false;
  for (std::size_t i = 0; i < inventory.deliveries.size(); ++i) {
    const auto& [state, updated_at] = inventory.deliveries[i];
    if (is_live(state)) {
      has_live = keeps_payload = true;
    } else {
      const bool is_dead = state == DeliveryState::Dead;
      const Duration period = is_dead ? retention.dead_letters : retention.ended;
      if (is_over(updated_at + period)) {
        over.deliveries.push_back(i);
      } else if (is_dead) {
        keeps_payload = true;
      }
    }
  }
  for (std::size_t i = 0; i < inventory.attempts.size(); ++i) {
    if (is_over(inventory.attempts[i] + retention.attempts)) over.attempts.push_back(i);
  }
  if (inventory.has_payload && !keeps_payload) {
    const WallTime until =
        inventory.payload_expires_at.value_or(inventory.accepted_at + retention.payloads);
    over.payload = is_over(until);
  }
  over.message = is_over(inventory.accepted_at + retention.ended) &&
                 over.deliveries.size() == inventory.deliveries.size() &&
                 over.attempts.size() == inventory.attempts.size() &&
                 over.payload == inventory.has_payload;
  if (has_live) next = std::min(next, next_live_look(retention, now));
  over.look_again_at = next;
  return over;
}

}  // namespace petrel::model
