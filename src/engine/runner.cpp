#include "engine/runner.h"

#include <utility>

#include "model/endpoint.h"

namespace petrel::engine {
namespace {

using Settlings = Result<std::vector<store::Settled>>;

SettleAnswer answer_of(const Settlings& settled, std::size_t which) {
  if (settled.ok()) {
    const bool is_written = (*settled)[which] == store::Settled::Written;
    return is_written ? SettleAnswer::Taken : SettleAnswer::Superseded;
  }
  const bool is_away = settled.error().kind == ErrorKind::Unavailable;
  return is_away ? SettleAnswer::Away : SettleAnswer::Refused;
}

}  // namespace

Runner::Runner(const Parts& parts, Listeners listeners, const CoreSettings& settings,
               std::uint64_t seed)
    : parts_(parts),
      listeners_(std::move(listeners)),
      core_(settings, parts.secure_random, seed),
      noted_(parts.note, parts.note_places),
      timer_(parts.loop.make_timer()),
      self_(std::make_shared<Runner*>(this)) {}

Runner::~Runner() { *self_ = nullptr; }

Now Runner::moment() const { return {parts_.clock.wall(), parts_.clock.mono()}; }

template <typename T>
std::function<void(T)> Runner::on_loop(std::function<void(T)> action) {
  // On the heap once: functions are copied on their way, and an action may carry a whole batch.
  auto shared = std::make_shared<std::function<void(T)>>(std::move(action));
  return [self = self_, loop = &parts_.loop, shared = std::move(shared)](T answer) {
    loop->post([self, shared, answer = std::move(answer)]() mutable {
      if (*self == nullptr) return;
      (*shared)(std::move(answer));
      (*self)->schedule_turn();
    });
  };
}

void Runner::configure(LaneConfig config) {
  core_.configure(std::move(config), moment());
  schedule_turn();
}

void Runner::nudge(EndpointId endpoint) {
  core_.nudge(endpoint);
  schedule_turn();
}

void Runner::probe_now(EndpointId endpoint) {
  core_.probe_now(endpoint, moment());
  schedule_turn();
}

void Runner::close_circuit(EndpointId endpoint) {
  core_.close_circuit(endpoint, moment());
  schedule_turn();
}

void Runner::accepted(std::vector<model::DueDelivery> due) {
  const Now at = moment();
  for (model::DueDelivery& delivery : due) core_.accepted(std::move(delivery), at);
  schedule_turn();
}

void Runner::forget_payloads(EndpointId endpoint) { core_.forget_payloads(endpoint); }

void Runner::set_authority_limit(const std::string& authority, const AuthorityLimit& limit) {
  core_.set_authority_limit(authority, limit);
  schedule_turn();
}

void Runner::slot_given(SlotKind kind) {
  core_.slot_given(kind);
  schedule_turn();
}

void Runner::release(EndpointId endpoint) {
  core_.release(endpoint);
  give_up(put_off_.take_of(endpoint));
  schedule_turn();
}

void Runner::suspects_may_go() {
  core_.suspects_may_go();
  schedule_turn();
}

void Runner::keep_lane(EndpointId endpoint, Function<void(Status)> done) {
  store::ChangeSet set{.changes = {store::KeepLane{endpoint, core_.keep_now(endpoint, moment())}}};
  auto shared = std::make_shared<Function<void(Status)>>(std::move(done));
  auto on_kept = [this, endpoint, shared](const Status& status) {
    if (!status.ok()) core_.not_kept(endpoint);
    (*shared)(status);
  };
  parts_.store.change(std::move(set), on_loop<Status>(std::move(on_kept)));
}

void Runner::drain(std::function<void()> done) {
  on_drained_ = std::move(done);
  is_draining_ = true;
  core_.drain();
  give_up(put_off_.take_all());
  schedule_turn();
}

void Runner::schedule_turn() {
  if (std::exchange(is_turn_scheduled_, true)) return;
  parts_.loop.post([self = self_] {
    if (*self != nullptr) (*self)->turn();
  });
}

void Runner::turn() {
  is_turn_scheduled_ = false;
  Commands commands = core_.step(moment());
  if (!commands.sends.empty()) send(std::move(commands.sends));
  if (!commands.settlements.empty()) settle(std::move(commands.settlements));
  for (store::DueQuery& query : commands.loads) load(std::move(query));
  for (store::DueQuery& query : commands.release_loads) load_for_release(std::move(query));
  for (const PauseCommand& pause : commands.pauses) listeners_.paused(pause);
  for (LaneLeft& lane : commands.left) listeners_.left(std::move(lane));
  for (const FreedSlot& slot : commands.freed) listeners_.freed(slot);
  for (const SuspectEnded& ended : commands.suspects_ended) listeners_.suspect_ended(ended);
  if (commands.wake_at) {
    timer_->set(*commands.wake_at, [this, at = *commands.wake_at] {
      if (listeners_.woken) listeners_.woken(parts_.clock.mono() - at);
      schedule_turn();
    });
  } else {
    timer_->cancel();
  }
  if (listeners_.turned) listeners_.turned();
  check_drained();
}

void Runner::check_drained() {
  const CoreCounts counts = core_.counts();
  if (!on_drained_ || counts.out > 0 || counts.unsettled > 0) return;
  std::exchange(on_drained_, nullptr)();
}

void Runner::send(std::vector<SendCommand> sends) {
  std::vector<SendCommand> to_load;
  for (SendCommand& command : sends) {
    model::AttemptOrder& order = command.order;
    if (!order.payload) {
      store::LoadedPayload found =
          parts_.payloads.find(order.delivery.message, parts_.clock.wall());
      order.payload = std::move(found.bytes);
      if (order.payload) order.content_type = std::move(found.content_type);
    }
    if (order.payload) {
      noted_.began(order.delivery);
      transmit(std::move(command));
    } else {
      to_load.push_back(std::move(command));
    }
  }
  if (!to_load.empty()) load_and_send(std::move(to_load));
}

void Runner::load_and_send(std::vector<SendCommand> sends) {
  std::vector<MessageId> messages;
  for (const SendCommand& command : sends) {
    noted_.began(command.order.delivery);
    messages.push_back(command.order.delivery.message);
  }
  using Answer = Result<std::vector<store::LoadedPayload>>;
  auto on_payloads = [this, sends = std::move(sends)](Answer payloads) mutable {
    for (std::size_t i = 0; i < sends.size(); ++i) {
      if (payloads.ok()) {
        send_loaded(std::move(sends[i]), std::move((*payloads)[i]));
      } else {
        model::AttemptResult result;
        result.error = payloads.error().text();
        result.fault = model::FaultCause::Store;
        tell_unsent(sends[i].order.delivery, result);
        core_.ended(sends[i].ticket, std::move(result), moment());
        note_end(sends[i].order.delivery);
      }
    }
  };
  parts_.store.load_payloads(std::move(messages), parts_.payloads,
                             on_loop<Answer>(std::move(on_payloads)));
}

void Runner::send_loaded(SendCommand send, store::LoadedPayload loaded) {
  const model::DeliveryKey delivery = send.order.delivery;
  if (loaded.is_damaged) {
    core_.payload_damaged(send.ticket, moment());
    noted_.ended(delivery);
    return listeners_.refused(send.order.delivery, corrupt("its payload cannot be read"));
  }
  if (loaded.no_room_for) return put_off(std::move(send), *loaded.no_room_for);
  if (!loaded.bytes) {
    core_.payload_gone(send.ticket, moment());
    return note_end(delivery);
  }
  send.order.payload = std::move(loaded.bytes);
  send.order.content_type = std::move(loaded.content_type);
  // The receiver looks at how old the signature is, and loading may have taken its time.
  if (core_.departs(send.ticket, send.order, moment())) return transmit(std::move(send));
  note_end(delivery);
}

void Runner::put_off(SendCommand send, std::size_t payload_bytes) {
  parts_.payloads.note_put_off(send.order.endpoint->application, payload_bytes);
  noted_.ended(send.order.delivery);  // Nothing is done with it while it waits.
  const ApplicationId application = send.order.endpoint->application;
  put_off_.add(std::move(send), payload_bytes);
  if (is_draining_) return give_up(put_off_.take_all());
  if (!is_waiting_for_room_) return wait_for_room();
  // What was freed since it was refused has told those that waited before.
  std::vector<SendCommand> ready = put_off_.take_of(
      application, [this](const SendCommand& each, std::size_t bytes, std::size_t before) {
        return may_go(each, before + bytes);
      });
  if (!ready.empty()) load_and_send(std::move(ready));
}

void Runner::wait_for_room() {
  if (std::exchange(is_waiting_for_room_, true)) return;
  parts_.payloads.when_freed([self = self_, loop = &parts_.loop] {
    loop->post([self] {
      if (*self != nullptr) (*self)->on_freed();
    });
  });
  // There may have been room again before that was heard of.
  std::vector<SendCommand> ready = take_put_off();
  if (!ready.empty()) load_and_send(std::move(ready));
}

void Runner::on_freed() {
  is_waiting_for_room_ = false;
  if (!put_off_.empty()) wait_for_room();
  schedule_turn();
}

// They cost their deliveries nothing.
void Runner::give_up(std::vector<SendCommand> sends) {
  for (const SendCommand& send : sends) {
    model::AttemptResult result;
    result.error = "its payload waited for memory";
    core_.ended(send.ticket, std::move(result), moment());
  }
}

std::vector<SendCommand> Runner::take_put_off() {
  return put_off_.take([this](const SendCommand& send, std::size_t bytes, std::size_t before) {
    return may_go(send, before + bytes);
  });
}

// Another lane may have loaded the payload by now: then it needs no room.
bool Runner::may_go(const SendCommand& send, std::size_t bytes) {
  const model::AttemptOrder& order = send.order;
  return parts_.payloads.has_room(order.endpoint->application, bytes) ||
         parts_.payloads.find(order.delivery.message, parts_.clock.wall()).bytes != nullptr;
}

void Runner::transmit(SendCommand command) {
  const Ticket ticket = command.ticket;
  const model::DeliveryKey delivery = command.order.delivery;
  parts_.ongoing.began(delivery);
  if (command.is_probe && listeners_.probing) listeners_.probing(delivery.endpoint);
  parts_.transport.send(std::move(command.order),
                        [self = self_, ticket, delivery](model::AttemptResult result) {
                          if (*self == nullptr) return;
                          Runner& runner = **self;
                          runner.parts_.ongoing.ended(delivery);
                          runner.tell_unsent(delivery, result);
                          runner.core_.ended(ticket, std::move(result), runner.moment());
                          runner.note_end(delivery);
                          runner.schedule_turn();
                        });
}

void Runner::tell_unsent(const model::DeliveryKey& delivery, const model::AttemptResult& result) {
  using Kind = policy::Outcome::Kind;
  const Kind kind = result.outcome.kind();
  if (kind == Kind::OurFault && listeners_.faulted) listeners_.faulted(delivery, result);
  if (kind == Kind::Blocked && listeners_.blocked) listeners_.blocked(delivery, result);
}

// Unless what became of it still has to get to disk: until then it is in flight for the note.
void Runner::note_end(const model::DeliveryKey& delivery) {
  if (!core_.is_outstanding(delivery)) noted_.ended(delivery);
}

void Runner::settle(std::vector<SettleCommand> settlements) {
  std::vector<model::Settlement> batch;
  for (const SettleCommand& command : settlements) batch.push_back(command.settlement);
  auto on_settled = [this, settlements = std::move(settlements)](const Settlings& settled) mutable {
    const bool is_refused = !settled.ok() && settled.error().kind != ErrorKind::Unavailable;
    if (is_refused && settlements.size() > 1) return settle_one_by_one(std::move(settlements));
    const Now at = moment();
    for (std::size_t i = 0; i < settlements.size(); ++i) {
      const SettleCommand& command = settlements[i];
      core_.settled(command.ticket, answer_of(settled, i), at);
      const bool is_on_disk = settled.ok() && (*settled)[i] != store::Settled::Superseded;
      if (is_on_disk) listeners_.settled(command.settlement);
      if (is_refused) listeners_.refused(command.settlement.delivery.key, settled.error());
      // Last, so that a crash over what was told of it finds it in flight.
      const model::DeliveryKey& delivery = command.settlement.delivery.key;
      is_refused ? noted_.ended(delivery) : note_end(delivery);
    }
  };
  parts_.store.settle(std::move(batch), on_loop<Settlings>(std::move(on_settled)));
}

// One of them is damaged, and the others shall not suffer for it.
void Runner::settle_one_by_one(std::vector<SettleCommand> settlements) {
  for (SettleCommand& command : settlements) {
    std::vector<SettleCommand> one;
    one.push_back(std::move(command));
    settle(std::move(one));
  }
}

void Runner::load(store::DueQuery query) {
  using Answer = Result<store::DuePage>;
  auto on_page = [this, query](const Answer& page) { core_.loaded(query, page, moment()); };
  parts_.store.load_due(std::move(query), on_loop<Answer>(std::move(on_page)));
}

void Runner::load_for_release(store::DueQuery query) {
  using Answer = Result<store::DuePage>;
  auto on_page = [this, query](const Answer& page) { core_.release_loaded(query, page, moment()); };
  parts_.store.load_due(std::move(query), on_loop<Answer>(std::move(on_page)));
}

}  // namespace petrel::engine
