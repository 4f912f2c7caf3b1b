// Delivery is one message on its way to one endpoint: the unit that is scheduled, tried again,
// given up and replayed.
//
//   Pending ──▶ Delivered
//      │  └───▶ Dead
//      ▼
//   Retrying ─▶ Retrying, Delivered, Dead
//   Dead ─────(discard)──────────▶ Discarded
//   Delivered, Dead, Discarded ──(replay, resend)──▶ Pending
//
// That an attempt is in flight (sending), or that its endpoint is paused or its circuit open
// (held), is shown to people but derived: it is never written row by row.
//
// Thread: any. A value.

#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/id.h"
#include "base/time.h"
#include "model/next.h"
#include "policy/decision.h"

namespace petrel::model {

enum class DeliveryState : std::uint8_t {
  Pending,    // Not tried yet in its present budget.
  Retrying,   // Tried, and due again at `due_at`.
  Delivered,  // A success was seen.
  Dead,       // Not tried again by itself: see `reason`.
  Discarded,  // Was dead, and a person said that nothing has to be done about it.
};

std::string_view to_string(DeliveryState state);

// The only list of legal changes. Replay and resend are the ones back to Pending.
bool may_become(DeliveryState from, DeliveryState to);

// Which one it is: a message has at most one delivery per endpoint.
struct DeliveryKey {
  EndpointId endpoint;
  MessageId message;

  friend auto operator<=>(const DeliveryKey&, const DeliveryKey&) = default;
};

struct Delivery {
  DeliveryKey key;
  ApplicationId application;
  DeliveryState state = DeliveryState::Pending;
  std::optional<policy::DeadReason> reason;  // If and only if it is Dead.

  // When it may be tried next. Meaningful while it is live.
  WallTime due_at;

  // Why it is due then. Empty before the first attempt, and in records of older versions.
  std::optional<Next> next = std::nullopt;

  policy::Progress progress;

  // Attempts that were recorded in all its budgets; the number of the last one.
  int attempts_total = 0;

  // How the last attempt ended; see policy::Outcome::way(). 0 if there was none.
  std::uint16_t last_outcome = 0;

  // When its state last changed.
  WallTime updated_at;

  bool is_manual = false;     // A person gave it its present budget: by resend, recover or replay.
  bool is_scheduled = false;  // The producer chose `due_at`, or the receiver asked to wait.
  bool is_aborted = false;    // Dead because the receiver asked that it not be tried again.

  bool is_live() const {
    return state == DeliveryState::Pending || state == DeliveryState::Retrying;
  }

  friend bool operator==(const Delivery&, const Delivery&) = default;
};

}  // namespace petrel::model

template <>
struct std::hash<petrel::model::DeliveryKey> {
  std::size_t operator()(const petrel::model::DeliveryKey& key) const noexcept {
    return std::hash<petrel::EndpointId>()(key.endpoint) * 31 +
           std::hash<petrel::MessageId>()(key.message);
  }
};
