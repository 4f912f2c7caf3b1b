// Runner carries out what the Core of a shard decides: it hands settlements and loads to the store
// and orders to the transport, brings their answers back, and turns the Core once per turn of the
// loop, however much has happened in it.
//
// A payload that memory has no room for waits until there is: the attempt has not begun by then,
// and costs its delivery nothing.
//
// It decides nothing itself.
//
// Thread: confined to its loop's thread.

#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/function.h"
#include "base/loop.h"
#include "base/secure_random.h"
#include "engine/core.h"
#include "engine/in_flight_note.h"
#include "engine/noted_attempts.h"
#include "engine/ongoing_attempts.h"
#include "engine/payload_shelf.h"
#include "engine/put_off_sends.h"
#include "engine/transport.h"
#include "store/store.h"

namespace petrel::engine {

class Runner {
 public:
  // What it works with. All of it outlives the Runner.
  struct Parts {
    Loop& loop;
    const Clock& clock;
    store::Store& store;
    Transport& transport;
    SecureRandom& secure_random;
    OngoingAttempts& ongoing;
    InFlightNote& note;
    NotePlaces note_places = {};
    PayloadShelf& payloads;
  };

  // What others want to know, each called on the loop's thread.
  struct Listeners {
    // A settlement is on disk.
    std::function<void(const model::Settlement&)> settled;

    // The store cannot keep what became of this delivery, which is left alone from now on.
    std::function<void(const model::DeliveryKey&, const Error&)> refused;

    // An attempt was no attempt, by a fault of ours. May be left out, as may the next two.
    using OnEnd = Function<void(const model::DeliveryKey&, const model::AttemptResult&)>;
    OnEnd faulted = nullptr;

    // The address guard refused the receiver's address.
    OnEnd blocked = nullptr;

    // The probe of a circuit goes out.
    Function<void(EndpointId)> probing = nullptr;

    // The endpoint has to be paused: its lane stands still already.
    std::function<void(const PauseCommand&)> paused;

    // The lane is no longer here.
    Function<void(LaneLeft)> left;

    // Another shard has a slot now. May be left out where there is none.
    Function<void(const FreedSlot&)> freed = nullptr;
    // May be left out if there are no suspects.
    Function<void(const SuspectEnded&)> suspect_ended = {};

    // The timer for the next due moment has gone off, so much after it. May be left out.
    Function<void(Duration late)> woken = {};

    // The Core has been turned: what there is of it may be otherwise now. May be left out.
    Function<void()> turned = {};
  };

  Runner(const Parts& parts, Listeners listeners, const CoreSettings& settings, std::uint64_t seed);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  // As the Core's inputs of the same names.
  void configure(LaneConfig config);
  void nudge(EndpointId endpoint);
  void probe_now(EndpointId endpoint);
  void close_circuit(EndpointId endpoint);
  void accepted(std::vector<model::DueDelivery> due);
  void forget_payloads(EndpointId endpoint);
  void set_authority_limit(const std::string& authority, const AuthorityLimit& limit);
  void slot_given(SlotKind kind);
  void release(EndpointId endpoint);
  void suspects_may_go();

  // Writes what a restart must not forget of the lane, after every settlement that was handed out
  // before and before every one that comes after.
  void keep_lane(EndpointId endpoint, Function<void(Status)> done);

  // Starts no more attempts, and calls `done` when those that are out have ended and everything is
  // settled. Cutting the wait short is the caller's: Transport::cancel_all() ends what is out.
  void drain(std::function<void()> done);

  const Core& core() const { return core_; }

 private:
  Now moment() const;
  void schedule_turn();
  void turn();
  void send(std::vector<SendCommand> sends);
  void load_and_send(std::vector<SendCommand> sends);
  void send_loaded(SendCommand send, store::LoadedPayload loaded);
  void put_off(SendCommand send, std::size_t payload_bytes);
  std::vector<SendCommand> take_put_off();
  bool may_go(const SendCommand& send, std::size_t bytes);
  void wait_for_room();
  void on_freed();
  void give_up(std::vector<SendCommand> sends);
  void transmit(SendCommand command);
  void tell_unsent(const model::DeliveryKey& delivery, const model::AttemptResult& result);
  void note_end(const model::DeliveryKey& delivery);
  void settle(std::vector<SettleCommand> settlements);
  void settle_one_by_one(std::vector<SettleCommand> settlements);
  void load(store::DueQuery query);
  void load_for_release(store::DueQuery query);
  void check_drained();

  // Wraps what the store or the transport will call, on whatever thread: back on the loop, and not
  // any more once we are gone.
  template <typename T>
  std::function<void(T)> on_loop(std::function<void(T)> action);

  Parts parts_;
  Listeners listeners_;
  Core core_;
  NotedAttempts noted_;
  PutOffSends put_off_;
  bool is_waiting_for_room_ = false;
  bool is_draining_ = false;
  std::unique_ptr<LoopTimer> timer_;
  bool is_turn_scheduled_ = false;
  std::function<void()> on_drained_;
  std::shared_ptr<Runner*>
      self_;  // Shared with callbacks under way, which find out if we are gone.
};

}  // namespace petrel::engine
