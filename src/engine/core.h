// Core runs the lanes of one shard: which delivery goes next, what becomes of it, and when to look
// again. It is a pure step: values go in, commands come out. It has no thread, no clock, no socket
// and no timer, so the same code runs in production, in simulation and in `petrel simulate`.
//
//   accepted, loaded, ended, settled, configured ──▶ Core ──▶ send, settle, load, pause, sleep
//   until
//
// The way of a delivery:
//
//   in its lane's queue ─▶ out on an attempt ─▶ decided, being settled ─▶ back in a queue, or done
//
// Between lanes: they take turns, one attempt each. An attempt needs a slot of those that all
// shards share, from when it starts until what became of it is on disk: a crash would repeat it.
// See slot_budget.h. The endpoints of an authority have a cap, of which a part is kept for those
// that have nothing in flight there.
//
// When the store does not take a settlement, no attempt starts until it does: an attempt whose
// outcome cannot be kept would have to be made again.
//
// Thread: confined.

#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/ksuid.h"
#include "base/random.h"
#include "base/result.h"
#include "engine/due_queue.h"
#include "engine/lane_state.h"
#include "engine/now.h"
#include "engine/slot_budget.h"
#include "engine/slot_line.h"
#include "engine/suspect_list.h"
#include "model/attempt.h"
#include "model/settlement.h"
#include "store/store.h"

namespace petrel::engine {

struct CoreSettings {
  int slots = 65'536;      // Attempts in flight or not settled yet, over the lanes of all shards.
  int first_percent = 50;  // Of the slots, for the first one of each lane.
  int in_flight_per_authority = 32;
  int kept_percent = 50;  // Of an authority's cap, at most, for its other endpoints.

  // What all shards share. Null: the slots are all its own.
  std::shared_ptr<SlotBudget> budget = nullptr;
  std::size_t shard = 0;  // Among them.

  // What the payloads of waiting deliveries may take up; beyond it they are loaded again.
  std::size_t payload_bytes_max = 64 * 1024 * 1024;

  // What is kept apart since it was in flight at a crash, shared by all shards. Null: nothing ever
  // is. Outlives the Core.
  SuspectList* suspects = nullptr;
};

// Names an attempt that is out, or a settlement that is on its way, until it is answered.
using Ticket = std::uint64_t;

struct SendCommand {
  Ticket ticket;
  model::AttemptOrder order;  // Its payload may be null: then it has to be loaded first.
  bool is_probe = false;      // Of a circuit that is half-open by it.
};

struct SettleCommand {
  Ticket ticket;
  model::Settlement settlement;
};

// What the store says to a settlement.
enum class SettleAnswer : std::uint8_t {
  Taken,
  Away,        // Nothing is known to have happened; it is handed out again.
  Superseded,  // What is stored is not what it says; the lane looks again.
  Refused,     // This one cannot be written, now or later: what is stored of it is damaged.
};

struct PauseCommand {
  EndpointId endpoint;
  std::string why;
};

// A slot that another shard has waited for and was given: slot_given() tells it.
struct FreedSlot {
  std::size_t shard = 0;
  SlotKind kind = SlotKind::First;
};

// What the endpoints of an authority may have in flight together, and how many of them exist.
struct AuthorityLimit {
  int cap = 0;
  int endpoints = 1;

  friend bool operator==(const AuthorityLimit&, const AuthorityLimit&) = default;
};

// A suspect that is in flight no more.
struct SuspectEnded {
  model::DeliveryKey delivery;
  bool had_turn = false;    // The next one that goes alone may go.
  bool is_cleared = false;  // It had an outcome, or ended: nothing is against it any more.
};

// A lane that is no longer here.
struct LaneLeft {
  EndpointId endpoint;
  ApplicationId application;
  std::optional<store::KeptLane> kept;  // What it has to go on with when it is made again.
  bool is_at_ease = true;
};

struct Commands {
  std::vector<SendCommand> sends;
  std::vector<SettleCommand> settlements;
  std::vector<store::DueQuery> loads;
  std::vector<store::DueQuery> release_loads;  // Answered by release_loaded().
  std::vector<PauseCommand> pauses;
  std::vector<LaneLeft> left;
  std::vector<FreedSlot> freed;
  std::vector<SuspectEnded> suspects_ended;

  // When step() has to be called again if nothing else happens before.
  std::optional<MonoTime> wake_at;
};

// How many there are of what, for people and metrics.
struct CoreCounts {
  std::size_t lanes = 0;
  std::size_t authorities = 0;
  int out = 0;
  std::size_t unsettled = 0;
  std::size_t refused = 0;  // Deliveries that are left alone because the store refused them.
  bool is_store_away = false;
};

class Core {
 public:
  // `secure_random` makes the attempts' ids; `seed` everything else that is drawn.
  Core(CoreSettings settings, SecureRandom& secure_random, std::uint64_t seed);

  // Sets up the lane of an endpoint, or changes it.
  void configure(LaneConfig config, const Now& now);

  // The store may hold live deliveries of this endpoint that we have not heard of.
  //
  // REQUIRES: the endpoint is configured.
  void nudge(EndpointId endpoint);

  // A message was accepted and its delivery is on disk.
  //
  // REQUIRES: the endpoint is configured.
  void accepted(model::DueDelivery due, const Now& now);

  void loaded(const store::DueQuery& query, const Result<store::DuePage>& page, const Now& now);

  // The answer to a load for the release after an outage.
  void release_loaded(const store::DueQuery& query, const Result<store::DuePage>& page,
                      const Now& now);

  // The attempt goes out only now, because its payload had to be loaded first: as the endpoint is
  // by now, which is written into the order. False if it must not go any more, as the circuit has
  // opened meanwhile, a limit was lowered, the endpoint has another authority, or its time ran out:
  // then it has ended, and cost nothing.
  [[nodiscard]] bool departs(Ticket ticket, model::AttemptOrder& order, const Now& now);

  // The attempt has ended.
  void ended(Ticket ticket, model::AttemptResult result, const Now& now);

  // The message's payload was expunged or has expired: there is nothing to send any more, so the
  // delivery ends as cancelled, without an attempt.
  void payload_gone(Ticket ticket, const Now& now);

  // The message's payload is stored and cannot be read. The delivery stays as it is, untouched,
  // like one whose settlement was refused.
  void payload_damaged(Ticket ticket, const Now& now);

  // Payloads of the endpoint's messages may have been expunged: none is sent from memory any more,
  // nor one that is being read already. No effect if there is no such lane.
  void forget_payloads(EndpointId endpoint);

  // The endpoints of this authority together have at most so many attempts in flight. Without this,
  // and at least, in_flight_per_authority. Lanes count as endpoints that exist.
  void set_authority_limit(const std::string& authority, const AuthorityLimit& limit);

  // This shard has waited for a slot, and has one now.
  void slot_given(SlotKind kind);

  // The lane is to go on elsewhere. No attempt starts any more; when those in flight have ended and
  // are on disk, Commands::left has it.
  //
  // REQUIRES: there is such a lane.
  void release(EndpointId endpoint);

  // What a restart must not forget of the lane, to be written at once.
  //
  // REQUIRES: there is such a lane.
  std::string keep_now(EndpointId endpoint, const Now& now);

  // That could not be written, or perhaps it was.
  void not_kept(EndpointId endpoint);

  // What the store says to the settlement. If it was superseded, the lane forgets what it thought
  // of the delivery and reads it again. A delivery whose settlement was refused stays as it is,
  // untouched, until the server starts again: sending it again and again would be worse.
  void settled(Ticket ticket, SettleAnswer answer, const Now& now);

  // Operators' wishes; see Lane. No effect if there is no such lane.
  void probe_now(EndpointId endpoint, const Now& now);
  void close_circuit(EndpointId endpoint, const Now& now);

  // No attempt starts any more; those that are out may end.
  void drain() { is_draining_ = true; }

  // Another suspect may have the turn now, or is kept apart no more.
  void suspects_may_go();

  // Whether an attempt of the delivery is in flight, or what became of it is not on disk.
  //
  // REQUIRES: it is not kept apart.
  bool is_outstanding(const model::DeliveryKey& delivery) const;

  // What to do now.
  Commands step(const Now& now);

  CoreCounts counts() const;

  // Null if there is no such lane.
  const LaneState* lane(EndpointId endpoint) const;

 private:
  struct Out {
    model::EndpointPtr record;
    std::string authority;
    Waiting waiting;
    lane::Lane::Ticket leave;
    Now started;
    bool is_early = false;  // A probe that went before its delivery was due.
    std::uint32_t start_edition = 0;
  };
  struct Unsettled {
    model::Settlement settlement;
    MonoTime due;             // When the delivery is due again, if it is.
    bool keeps_lane = false;  // Its lane's state goes to disk with it, as it is at that moment.
    bool holds_slot = false;  // It is of an attempt.
  };

  // Settlements without an attempt that are on their way to the store; they need no slot.
  static constexpr std::size_t kUnsentMax = 4096;
  static constexpr std::size_t kUnsentPerLane = 256;

  struct Authority {
    int lanes = 0;
    int out = 0;
    int firsts = 0;  // Of `out`, the first one of each lane.
    AuthorityLimit limit;
    std::array<std::deque<EndpointId>, 2> parked;  // Lanes that wait for room, by kind.
  };

  enum class Turn {
    Taken,     // An attempt went out, or a delivery was given up.
    NotReady,  // Nothing is due, or a guard of the lane says no: a timer brings it back.
    Parked,    // A limit that lanes share says no: whoever makes room brings it back.
  };

  // A delivery that waits in a lane: in one of its queues, or apart from them.
  struct Candidate {
    DueQueue* queue = nullptr;         // Null if it is kept apart.
    const Waiting* waiting = nullptr;  // Null if there is none.
  };

  LaneState& lane_of(EndpointId endpoint);
  void wake(LaneState& state);
  void plan_wake(LaneState& state, const Now& now);
  void run_timers(const Now& now);
  bool may_run() const;
  void run_ring(const Now& now, Commands& commands);
  Turn start_one(LaneState& state, const Now& now, Commands& commands);
  Candidate next_of(LaneState& state, const Now& now);
  bool must_end_later(LaneState& state);
  Waiting take(LaneState& state, const Candidate& next);
  bool has_suspects() const { return settings_.suspects && !settings_.suspects->is_empty(); }
  void set_apart(LaneState& state);
  void put_back(LaneState& state, bool all);
  const Waiting* first_apart(const LaneState& state) const;
  bool may_go_apart(const model::DeliveryKey& delivery);
  void suspect_ended(const model::DeliveryKey& delivery, bool is_cleared);
  Turn cancel_one(LaneState& state, const Now& now);
  void send(LaneState& state, Waiting waiting, const lane::Lane::Ticket& leave, const Now& now,
            Commands& commands);
  bool is_guard_ready(LaneState& state, const Now& now);
  bool may_go_by_shared_rate(LaneState& state, const Now& now);
  void end_unsent(LaneState& state, const Waiting& waiting, policy::DeadReason reason,
                  const Now& now);
  Out take_out(Ticket ticket);
  void finish(LaneState& state, Out out, model::AttemptResult result, const Now& now);
  void pause(LaneState& state, std::string why, const Now& now);
  void not_spent(LaneState& state, Out out, const model::AttemptResult& result, const Now& now);
  void give_back(LaneState& state, Waiting waiting, MonoTime due);
  void run_release(LaneState& state, const Now& now, Commands& commands);
  void stop_release(LaneState& state, const Now& now);
  void reschedule(LaneState& state, model::Settlement settlement, const Now& now);
  void note_released_attempt(LaneState& state, const model::Delivery& before,
                             model::DeliveryState after, const Now& now);
  [[nodiscard]] bool tell_release(LaneState& state, const model::Settlement& settlement,
                                  SettleAnswer answer);
  std::optional<std::string> lane_to_keep(LaneState& state, const Now& now);
  void settle_later(Unsettled unsettled);
  void hand_out_settlements(const Now& now, Commands& commands);
  void hand_out_loads(LaneState& state, Commands& commands);
  void leave_wire(LaneState& state, const Out& out);
  bool has_room(const Authority& authority, SlotKind kind) const;
  bool may_join_wire(LaneState& state);
  void unpark_at(Authority& authority);
  void leave_parked(LaneState& state, Authority& authority);
  void join_authority(LaneState& state);
  void leave_authority(LaneState& state);
  void drop_if_unused(const std::string& authority);
  bool has_nothing_outstanding(const LaneState& state) const;
  std::optional<MonoTime> rests_at(const LaneState& state, const Now& now) const;
  void leave(LaneState& state, const Now& now, Commands& commands);
  std::string encoded(LaneState& state, const Now& now);
  void set_timer(LaneState& state, std::optional<MonoTime> at);
  SlotLine& line_of(SlotKind kind);
  int& given_of(SlotKind kind);
  bool may_take_slot(LaneState& state);
  bool take_slot(int held);
  void join_line(LaneState& state, std::uint64_t turn);
  void leave_line(LaneState& state);
  void want_no_slot(LaneState& state);
  void free_slot(LaneState& state);
  void give_slot(SlotKind kind);
  bool pass_on_slots();
  model::Payload lease(const model::Payload& payload);

  CoreSettings settings_;
  std::shared_ptr<SlotBudget> budget_;  // Of all shards.
  KsuidMaker ids_;
  Random random_;

  std::unordered_map<EndpointId, std::unique_ptr<LaneState>> lanes_;
  std::unordered_map<std::string, Authority> authorities_;  // Of the lanes, and of what is out.
  std::unordered_map<std::string, AuthorityLimit> authority_limits_;  // Those not as usual.
  std::deque<EndpointId> ring_;                       // Lanes that may have something to do.
  std::set<std::pair<MonoTime, EndpointId>> timers_;  // One per lane at most.
  std::vector<PauseCommand> pauses_;
  std::vector<FreedSlot> freed_;

  std::array<SlotLine, 2> slot_lines_;   // By kind.
  std::array<int, 2> slots_given_ = {};  // That we have and no lane holds yet, by kind.
  std::uint64_t next_slot_turn_ = 1;
  std::vector<SuspectEnded> suspects_ended_;

  std::unordered_map<Ticket, Out> out_;
  std::unordered_map<Ticket, Unsettled> unsettled_;
  std::vector<Ticket> to_settle_;  // Of the unsettled ones, those the store does not have.
  Ticket next_ticket_ = 1;
  int out_count_ = 0;
  std::size_t unsent_ = 0;  // Of the unsettled ones, those that are of no attempt.
  std::size_t refused_ = 0;

  // Of all payloads in memory; shared with each of them, as one may outlive us.
  std::shared_ptr<std::size_t> payload_bytes_ = std::make_shared<std::size_t>(0);
  bool is_draining_ = false;

  // While the store does not take settlements: when to try again, and how long to wait then.
  std::optional<MonoTime> store_retry_at_;
  Duration store_backoff_{};
};

}  // namespace petrel::engine
