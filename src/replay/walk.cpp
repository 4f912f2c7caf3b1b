#include "replay/walk.h"

#include <algorithm>
#include <functional>
#include <type_traits>
#include <utility>

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
  Stepper(const Walk& walk, const model::EndpointCursor& cursor, WallTime now)
      : browse_(walk.browse), task_(walk.task), endpoint_(walk.endpoint), now_(now) {
    step_.cursor = cursor;
    const WallTime since = task_.selection.since;
    if (goes_by_death() && cursor.died_at < since) step_.cursor = {cursor.endpoint, since, {}};
  }

  // Only counts.
  Result<Step> count() {
    is_counting_ = true;
    return next(kLookMax);
  }

  Result<Step> next(std::size_t limit) {
    const model::EndpointCursor begin = step_.cursor;
    limit_ = limit;
    rows_ = is_counting_ ? kLookMax : std::clamp(limit, kFirstRows, kLookMax);
    std::size_t left = kLookMax;
    do {
      rows_ = std::min(rows_, left);
      if (Status status = walk(); !status.ok()) {
        // What was gone through before a read failed need not be gone through again.
        if (step_.cursor == begin) return status.error();
        step_.has_more = true;
        break;
      }
      left -= rows_;
      rows_ *= kRowsGrowth;
    } while (step_.has_more && !is_full() && left > 0);
    return std::move(step_);
  }

 private:
  // The next rows. What a slow task takes at once is little, so it begins with few of them, and
  // reads more where hardly any fits.
  static constexpr std::size_t kFirstRows = 8;
  static constexpr std::size_t kRowsGrowth = 4;

  bool goes_by_death() const {
    return task_.type == TaskType::Recover || task_.type == TaskType::Discard;
  }

  Status walk() {
    return goes_by_death()                      ? walk_dead()
           : task_.type == TaskType::BulkReplay ? walk_deliveries()
                                                : walk_messages();
  }

  bool is_full() const { return step_.done() + step_.skipped >= limit_; }

  Status walk_dead() {
    model::EndpointCursor& cursor = step_.cursor;
    const auto dead = browse_.dead_letters(
        {.application = task_.application,
         .endpoint = cursor.endpoint,
         .after = store::DeadPosition{cursor.endpoint, cursor.died_at, cursor.message},
         .limit = rows_});
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
      cursor.died_at = delivery.updated_at;
      cursor.message = delivery.key.message;
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
        browse_.deliveries_of_endpoint(step_.cursor.endpoint, {.after = begin(), .limit = rows_});
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
    const policy::Outcome last = policy::Outcome::from_code(delivery.last_outcome);
    const int status_class =
        delivery.last_outcome != 0 && last.is_answer() ? last.status() / 100 : 0;
    if (selection.status_class && *selection.status_class != status_class) return Done{};
    const Result<bool> is_wanted = wants(delivery.key.message);
    if (!is_wanted.ok()) return skip_damaged(is_wanted.error());
    return *is_wanted ? put_back(delivery) : Status(Done{});
  }

  Status walk_messages() {
    if (task_.type == TaskType::ReplayMissing && endpoint_ == nullptr) return Done{};  // Deleted.
    const auto messages = browse_.messages(task_.application, {.after = begin(), .limit = rows_});
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
    // It had a delivery, which retention has dropped since: it was not missed.
    const std::vector<EndpointId>& had = message.endpoints;
    if (std::find(had.begin(), had.end(), endpoint_->id) != had.end()) return Done{};
    const Result<bool> is_there = has_payload(message.id);
    if (!is_there.ok()) return skip_damaged(is_there.error());
    if (*is_there) {
      model::Delivery late = late_delivery(key, task_.application, model::NextBasis::Replay, now_);
      // Its producer may want it sent later still.
      late.is_scheduled = message.deliver_at && *message.deliver_at > now_;
      if (late.is_scheduled) late.due_at = *message.deliver_at;
      step_.additions.push_back(std::move(late));
    } else {
      ++step_.skipped;
    }
    return Done{};
  }

  // Where the walk by message goes on.
  Ksuid begin() const {
    if (task_.selection.since == WallTime::min()) return step_.cursor.message.ksuid();
    return std::max(step_.cursor.message.ksuid(), Ksuid::first_at(task_.selection.since));
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
      step_.cursor.message = message;
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
  std::size_t rows_ = 0;
  bool is_counting_ = false;
  Step step_;
};

}  // namespace

Result<Step> Walk::next(const model::EndpointCursor& cursor, std::size_t limit,
                        WallTime now) const {
  return Stepper(*this, cursor, now).next(limit);
}

Result<Count> Walk::count_on(Count count, WallTime now) const {
  const bool has_all_cursors = task.progress.has_all_cursors;
  if (count.cursor) {
    const Result<Step> step = Stepper(*this, *count.cursor, now).count();
    if (!step.ok()) return step.error();
    count.matched += step->done();
    count.cursor = step->cursor;
    count.is_done = has_all_cursors && !step->has_more;
    if (count.is_done || step->has_more) return count;
  } else if (has_all_cursors) {
    count.cursor = task.progress.cursors.front();
    return count;
  }
  std::optional<EndpointId> last;
  if (count.cursor) last = count.cursor->endpoint;
  const auto next = next_endpoint(last);
  if (!next.ok()) return next.error();
  count.is_done = !*next;
  if (*next) count.cursor = model::EndpointCursor{.endpoint = **next};
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
  if (task.selection.endpoint) progress.cursors = {{.endpoint = *task.selection.endpoint}};
  if (task.type == TaskType::ExpungeContent) progress.cursors = {{}};
  progress.has_all_cursors = !progress.cursors.empty();
}

}  // namespace petrel::replay
