#include "engine/runner.h"

#include <utility>

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

void Runner::set_authority_cap(const std::string& authority, int cap) {
  core_.set_authority_cap(authority, cap);
  schedule_turn();
}

void Runner::release(EndpointId endpoint) {
  core_.release(endpoint);
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
  core_.drain();
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
  if (commands.wake_at) {
    timer_->set(*commands.wake_at, [this] { schedule_turn(); });
  } else {
    timer_->cancel();
  }
  check_drained();
}

void Runner::check_drained() {
  const CoreCounts counts = core_.counts();
  if (!on_drained_ || counts.out > 0 || counts.unsettled > 0) return;
  std::exchange(on_drained_, nullptr)();
}

void Runner::send(std::vector<SendCommand> sends) {
  std::vector<SendCommand> without_payload;
  for (SendCommand& command : sends) {
    if (command.order.payload) {
      transmit(std::move(command));
    } else {
      without_payload.push_back(std::move(command));
    }
  }
  if (!without_payload.empty()) load_and_send(std::move(without_payload));
}

void Runner::load_and_send(std::vector<SendCommand> sends) {
  std::vector<MessageId> messages;
  for (const SendCommand& command : sends) messages.push_back(command.order.delivery.message);
  using Answer = Result<std::vector<store::LoadedPayload>>;
  auto on_payloads = [this, sends = std::move(sends)](Answer payloads) mutable {
    for (std::size_t i = 0; i < sends.size(); ++i) {
      if (!payloads.ok()) {
        model::AttemptResult result;
        result.error = payloads.error().text();
        note_fault(result);
        core_.ended(sends[i].ticket, std::move(result), moment());
      } else if ((*payloads)[i].is_damaged) {
        core_.payload_damaged(sends[i].ticket, moment());
        listeners_.refused(sends[i].order.delivery, corrupt("its payload cannot be read"));
      } else if (!(*payloads)[i].bytes) {
        core_.payload_gone(sends[i].ticket, moment());
      } else {
        sends[i].order.payload = std::move((*payloads)[i].bytes);
        sends[i].order.content_type = std::move((*payloads)[i].content_type);
        // The receiver looks at how old the signature is, and loading may have taken its time.
        if (!core_.departs(sends[i].ticket, sends[i].order, moment())) continue;
        transmit(std::move(sends[i]));
      }
    }
  };
  parts_.store.load_payloads(std::move(messages), on_loop<Answer>(std::move(on_payloads)));
}

void Runner::transmit(SendCommand command) {
  const Ticket ticket = command.ticket;
  const model::DeliveryKey delivery = command.order.delivery;
  parts_.ongoing.began(delivery);
  parts_.transport.send(std::move(command.order),
                        [self = self_, ticket, delivery](model::AttemptResult result) {
                          if (*self == nullptr) return;
                          Runner& runner = **self;
                          runner.parts_.ongoing.ended(delivery);
                          runner.note_fault(result);
                          runner.core_.ended(ticket, std::move(result), runner.moment());
                          runner.schedule_turn();
                        });
}

void Runner::note_fault(const model::AttemptResult& result) {
  const bool is_ours = result.outcome.kind() == policy::Outcome::Kind::OurFault;
  if (is_ours && listeners_.faulted) listeners_.faulted(result);
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
