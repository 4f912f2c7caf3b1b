#include "replay/walk.h"

#include <algorithm>
#include <functional>
#include <type_traits>

#include "replay/revival.h"

namespace petrel::replay {
namespace {

using model::DeliveryState;
using model::TaskType;

Ksuid last_ksuid() {
  Ksuid::Bytes bytes;
  bytes.fill(0xFF);
  return Ksuid(bytes);
}

// One step of a walk, as it is made.
class Stepper {
 public:
  Stepper(const Walk& walk, const model::TaskLeg& leg, WallTime now)
      : browse_(walk.browse), task_(walk.task), endpoint_(walk.endpoint), now_(now) {
    step_.leg = leg;
  }

  // Only counts.
  Result<Step> count() {
    is_counting_ = true;
    return next(kLookMax);
  }

  Result<Step> next(std::size_t limit) {
    limit_ = limit;
    const bool goes_by_death = task_.type == TaskType::Recover || task_.type == TaskType::Discard;
    const Status status = goes_by_death                        ? walk_dead()
                          : task_.type == TaskType::BulkReplay ? walk_deliveries()
                                                               : walk_messages();
    if (!status.ok()) return status.error();
    return std::move(step_);
  }

 private:
  // Where nothing is filtered out, no more than what is taken has to be read.
  std::size_t rows() const {
    const bool takes_all = task_.selection.reasons.empty() && !task_.selection.looks_inside();
    return is_counting_ || !takes_all ? kLookMax : limit_;
  }

  bool is_full() const { return step_.done() + step_.skipped >= limit_; }

  Status walk_dead() {
    model::TaskLeg& leg = step_.leg;
    const WallTime since = task_.selection.since;
    if (leg.died_at < since) leg = {leg.endpoint, since, MessageId()};
    const auto dead =
        browse_.dead_letters({.application = task_.application,
                              .endpoint = leg.endpoint,
                              .after = store::DeadPosition{leg.endpoint, leg.died_at, leg.message},
                              .limit = rows()});
    if (!dead.ok()) return dead.error();
    step_.has_more = dead->has_more;
    for (const model::Delivery& delivery : dead->items) {
      if (delivery.updated_at >= task_.selection.until) {
        step_.has_more = false;
        return Done{};
      }
      if (is_full()) {
        step_.has_more = true;
        return Done{};
      }
      if (Status taken = take_dead(delivery); !taken.ok()) return taken;
      leg.died_at = delivery.updated_at;
      leg.message = delivery.key.message;
    }
    return Done{};
  }

  Status take_dead(const model::Delivery& delivery) {
    const std::vector<policy::DeadReason>& reasons = task_.selection.reasons;
    const bool fits = reasons.empty() ||
                      std::find(reasons.begin(), reasons.end(), delivery.reason) != reasons.end();
    if (!fits) return Done{};
    const Result<bool> is_wanted = wants(delivery.key.message);
    if (!is_wanted.ok()) return skip_damaged(is_wanted.error());
    if (!*is_wanted) return Done{};
    if (task_.type == TaskType::Discard) {
      step_.settlements.push_back(discard(delivery, now_));
      return Done{};
    }
    return put_back(delivery);
  }

  Status walk_deliveries() {
    const auto deliveries =
        browse_.deliveries_of_endpoint(step_.leg.endpoint, {.after = begin(), .limit = kLookMax});
    if (!deliveries.ok()) return deliveries.error();
    return go_over(*deliveries,
                   [this](const model::Delivery& delivery) { return take_ended(delivery); });
  }

  Status take_ended(const model::Delivery& delivery) {
    if (delivery.is_live()) return Done{};  // It is on its way by itself.
    if (delivery.state == DeliveryState::Discarded) return Done{};
    const model::Selection& selection = task_.selection;
    const bool is_delivered = delivery.state == DeliveryState::Delivered;
    if (selection.is_delivered && *selection.is_delivered != is_delivered) return Done{};
    const policy::Outcome last = policy::Outcome::from_way(delivery.last_way);
    const int status_class = delivery.last_way != 0 && last.is_answer() ? last.status() / 100 : 0;
    if (selection.status_class && *selection.status_class != status_class) return Done{};
    const Result<bool> is_wanted = wants(delivery.key.message);
    if (!is_wanted.ok()) return skip_damaged(is_wanted.error());
    return *is_wanted ? put_back(delivery) : Status(Done{});
  }

  Status walk_messages() {
    if (task_.type == TaskType::ReplayMissing && endpoint_ == nullptr) return Done{};  // Deleted.
    const auto messages =
        browse_.messages(task_.application, {.after = begin(), .limit = kLookMax});
    if (!messages.ok()) return messages.error();
    return go_over(*messages, [this](const model::Message& message) {
      return task_.type == TaskType::ExpungeContent ? take_expunged(message)
                                                    : take_missing(message);
    });
  }

  Status take_expunged(const model::Message& message) {
    const Result<bool> is_there = has_payload(message.id);
    // What cannot be read is on the disk all the same.
    const bool is_damaged = !is_there.ok() && is_there.error().kind == ErrorKind::Corrupt;
    if (!is_there.ok() && !is_damaged) return is_there.error();
    if (is_damaged || *is_there) step_.expunged.push_back(message.id);
    return Done{};
  }

  Status take_missing(const model::Message& message) {
    if (!model::wants(*endpoint_, message.event_type, message.channels)) return Done{};
    const model::DeliveryKey key{endpoint_->id, message.id};
    const Result<model::Delivery> delivery = browse_.delivery(key);
    if (delivery.ok()) return Done{};
    if (delivery.error().kind != ErrorKind::NotFound) return skip_damaged(delivery.error());
    const Result<bool> is_there = has_payload(message.id);
    if (!is_there.ok()) return skip_damaged(is_there.error());
    if (*is_there) {
      step_.additions.push_back(
          late_delivery(key, task_.application, model::NextBasis::Replay, now_));
    } else {
      ++step_.skipped;
    }
    return Done{};
  }

  // Where the walk by message goes on.
  Ksuid begin() const {
    if (task_.selection.since == WallTime::min()) return step_.leg.message.ksuid();
    return std::max(step_.leg.message.ksuid(), Ksuid::first_at(task_.selection.since));
  }

  template <typename T>
  Status go_over(const store::Listed<T>& listed,
                 const std::type_identity_t<std::function<Status(const T&)>>& take) {
    step_.has_more = listed.has_more;
    for (const T& item : listed.items) {
      const MessageId message = message_of(item);
      if (message.time() >= task_.selection.until) {
        step_.has_more = false;
        return Done{};
      }
      if (is_full()) {
        step_.has_more = true;
        return Done{};
      }
      if (Status taken = take(item); !taken.ok()) return taken;
      step_.leg.message = message;
    }
    return Done{};
  }

  static MessageId message_of(const model::Delivery& delivery) { return delivery.key.message; }
  static MessageId message_of(const model::Message& message) { return message.id; }

  Status put_back(const model::Delivery& delivery) {
    const Result<bool> is_there = has_payload(delivery.key.message);
    if (!is_there.ok()) return skip_damaged(is_there.error());
    std::optional<model::Settlement> settlement;
    if (*is_there) settlement = revival(delivery, model::NextBasis::Replay, now_);
    if (settlement) {
      // Should it die again, then after the task was asked for, although the wall clock may have
      // been set back since: or it would be taken a second time.
      WallTime& updated_at = settlement->delivery.updated_at;
      updated_at = std::max(updated_at, std::min(task_.selection.until, task_.created_at));
      step_.settlements.push_back(*std::move(settlement));
    } else {
      ++step_.skipped;
    }
    return Done{};
  }

  // One that cannot be read must not keep the others from going on.
  Status skip_damaged(const Error& error) {
    if (error.kind != ErrorKind::Corrupt) return error;
    ++step_.skipped;
    return Done{};
  }

  Result<bool> has_payload(MessageId message) {
    if (is_counting_) return true;
    const Result<model::Payload> payload = browse_.payload(message);
    if (!payload.ok()) return payload.error();
    return *payload != nullptr;
  }

  Result<bool> wants(MessageId id) {
    if (!task_.selection.looks_inside()) return true;
    const Result<model::Message> message = browse_.message(task_.application, id);
    if (message.ok()) return task_.selection.wants(*message);
    if (message.error().kind == ErrorKind::NotFound) return false;
    return message.error();
  }

  store::Browse& browse_;
  const model::Task& task_;
  const model::Endpoint* endpoint_;
  WallTime now_;
  std::size_t limit_ = 0;
  bool is_counting_ = false;
  Step step_;
};

}  // namespace

Result<Step> Walk::next(const model::TaskLeg& leg, std::size_t limit, WallTime now) const {
  return Stepper(*this, leg, now).next(limit);
}

Result<Count> Walk::count_on(Count count, WallTime now) const {
  const bool has_all_legs = task.progress.has_all_legs;
  if (count.leg) {
    const Result<Step> step = Stepper(*this, *count.leg, now).count();
    if (!step.ok()) return step.error();
    count.matched += step->done();
    count.leg = step->leg;
    count.is_done = has_all_legs && !step->has_more;
    if (count.is_done || step->has_more) return count;
  } else if (has_all_legs) {
    count.leg = task.progress.legs.front();
    return count;
  }
  std::optional<EndpointId> last;
  if (count.leg) last = count.leg->endpoint;
  const auto next = next_endpoint(last);
  if (!next.ok()) return next.error();
  count.is_done = !*next;
  if (*next) count.leg = model::TaskLeg{.endpoint = **next};
  return count;
}

Result<std::optional<EndpointId>> Walk::next_endpoint(
    const std::optional<EndpointId>& after) const {
  store::DeadQuery query{.application = task.application, .limit = 1};
  if (after) query.after = store::DeadPosition{*after, WallTime::max(), MessageId(last_ksuid())};
  const auto dead = browse.dead_letters(query);
  if (!dead.ok()) return dead.error();
  if (dead->items.empty()) return std::optional<EndpointId>();
  return std::optional(dead->items.front().key.endpoint);
}

bool is_replay(const model::Task& task) {
  return task.type == TaskType::Recover || task.type == TaskType::ReplayMissing ||
         task.type == TaskType::BulkReplay;
}

void begin_legs(model::Task& task) {
  model::TaskProgress& progress = task.progress;
  if (task.selection.endpoint) progress.legs = {{.endpoint = *task.selection.endpoint}};
  if (task.type == TaskType::ExpungeContent) progress.legs = {{}};
  progress.has_all_legs = !progress.legs.empty();
}

}  // namespace petrel::replay
