// LaneState is everything that a running engine keeps for one endpoint: its configuration, its
// guards, its two queues, and what is out.
//
// Thread: confined.

#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/id.h"
#include "base/time.h"
#include "engine/attempt_history.h"
#include "engine/due_queue.h"
#include "engine/release.h"
#include "engine/slot_budget.h"
#include "engine/slot_line.h"
#include "lane/lane.h"
#include "lane/shared_rate.h"
#include "model/endpoint.h"
#include "policy/retry_policy.h"
#include "store/kept_lane.h"

namespace petrel::engine {

// An endpoint as the engine needs it, with what it inherits resolved.
struct LaneConfig {
  EndpointId endpoint;
  ApplicationId application;
  model::EndpointPtr record;  // What is sent to, and whose URL is recorded.
  std::string authority;      // "https://example.com:443": who shares it shares a cap.
  std::shared_ptr<const policy::RetryPolicy> policy;
  Duration timeout = std::chrono::seconds(15);
  lane::LaneSettings settings;

  // A rate that all endpoints of the application keep together. Null if there is none.
  std::shared_ptr<lane::SharedRate> shared_rate = nullptr;

  // How long sending was switched off in all: the give-up clock stood still meanwhile. Give-up
  // times are kept as if it never had been; see settling.h.
  Duration held_total{};

  // What an earlier process has kept of the lane. Counts when it is set up, not when it changes.
  std::optional<store::KeptLane> kept = std::nullopt;

  // Nothing is sent any more, and what waits is cancelled.
  bool is_deleted = false;

  // What one attempt after the other has to wait for.
  bool has_rates_of(const LaneConfig& other) const {
    return settings.throttle_rate == other.settings.throttle_rate &&
           shared_rate == other.shared_rate && shared_edition == other.shared_edition;
  }
  std::uint32_t shared_edition = 0;  // Of the shared rate, when this was worked out.
};

struct LaneState {
  LaneState(LaneConfig settings, MonoTime now)
      : config(std::move(settings)), guard(config.settings, now) {}

  DueQueue& queue_of(model::DeliveryState state) { return queue_of(store::due_class(state)); }
  DueQueue& queue_of(store::DueClass queue) { return queues[static_cast<std::size_t>(queue)]; }

  LaneConfig config;
  lane::Lane guard;
  std::array<DueQueue, 2> queues = {DueQueue(store::DueClass::Fresh),
                                    DueQueue(store::DueClass::Retry)};
  store::DueClass next_turn = store::DueClass::Fresh;  // Fresh and retry are taken in turn.

  // Messages whose delivery is out on an attempt, or decided and not settled yet.
  std::unordered_set<MessageId> busy;
  std::vector<MonoTime> out_since;  // In no order; as many as are out.

  // Deliveries that do not go like the others (SuspectList), out of the queues; busy as well.
  std::vector<Waiting> apart;

  AttemptHistory history;

  // While what failed in an outage is made due.
  std::unique_ptr<Release> release;

  // Grows when an attempt that waits for its payload has to start anew: what is being read may have
  // been expunged, or it was let go by a rate that no longer holds.
  std::uint32_t start_edition = 0;

  std::size_t unsettled = 0;  // Decisions that the store has not answered for.
  std::size_t unsent = 0;     // Of these, those that are of no attempt.

  int slots = 0;     // It holds: for what is in flight, and what is unsettled of that.
  int out_here = 0;  // In flight at the authority that it has now.

  // It is to leave this shard: nothing starts any more, and it goes when nothing is outstanding.
  bool is_leaving = false;

  bool is_in_ring = false;

  bool is_kept = false;                  // The store has more of the lane than that it is at ease.
  std::optional<MonoTime> success_kept;  // The last success that the store knows of.

  // We have asked for a pause ourselves, and it is not in the configuration yet.
  bool is_pause_wanted = false;

  // After a fault of ours a probe waits for this moment too, like everything else.
  MonoTime no_hurry_before{};

  // Our DNS resolver does not answer for the endpoint's name: nothing is sent before this moment,
  // and `resolver_fault` says it in plain words.
  MonoTime resolver_asked_again_at{};
  std::string resolver_fault;

  // The lane's place in the line for the shared rate, once it has asked for one.
  std::optional<lane::SharedRate::Place> shared_place;

  // A limit that lanes share refused it: it stands in the line before that limit.
  std::optional<SlotKind> parked_at_authority;
  std::optional<SlotPlace> slot_place;
  std::optional<MonoTime> timer;
};

}  // namespace petrel::engine
