#include "replay/task_run.h"

#include <algorithm>
#include <utility>

namespace petrel::replay {

using model::TaskState;

TaskRun::TaskRun(std::shared_ptr<const Parts> parts, OrganisationId organisation, TaskId id,
                 std::function<void()> over)
    : parts_(std::move(parts)),
      organisation_(organisation),
      id_(id),
      over_(std::move(over)),
      timer_(parts_->loop.make_timer()) {}

template <typename T>
std::function<void(const T&)> TaskRun::on_loop(std::function<void(const T&)> then) {
  return [self = shared_from_this(), then = std::move(then)](const T& answer) {
    self->parts_->loop.post([self, then, answer] {
      if (!self->is_over_) then(answer);
    });
  };
}

template <typename T>
void TaskRun::from_disk(std::function<Result<T>()> read,
                        std::function<void(const Result<T>&)> then) {
  is_busy_ = true;
  const auto done = on_loop<Result<T>>(std::move(then));
  const bool is_taken = parts_->pool.run([read = std::move(read), done] { done(read()); });
  if (!is_taken) done(unavailable("too many reads are under way"));
}

void TaskRun::read_task() {
  is_stale_ = false;
  from_disk<model::Task>(
      [this, self = shared_from_this()] { return parts_->browse.task(organisation_, id_); },
      [this](const Result<model::Task>& task) { take_up(task); });
}

void TaskRun::take_up(const Result<model::Task>& task) {
  if (!task.ok() && task.error().kind == ErrorKind::NotFound) return end();
  if (!task.ok()) {
    is_stale_ = true;
    return rest_until(parts_->clock.mono() + kLookAgain);
  }
  model::Task read = *task;
  keep_answers(read);
  task_ = std::move(read);
  // It was changed while it was read.
  if (is_stale_) return read_task();
  if (task_.state != TaskState::Running) return end();
  const MonoTime now = parts_->clock.mono();
  if (is_paced() && !pace_) {
    // Not later than the rate asks for, whatever happened to the wall clock.
    const Duration wait = std::clamp<Duration>(task_.progress.next_at - parts_->clock.wall(),
                                               Duration(0), std::chrono::minutes(1));
    pace_.emplace(task_.pacing, task_.progress.rate_per_minute, now + wait);
    last_released_ = now;
  }
  step();
}

void TaskRun::step() {
  is_busy_ = false;
  if (is_stale_) return read_task();
  if (task_.type == model::TaskType::ApplicationStats) {
    return count_usage(std::make_shared<UsageCount>(task_.selection));
  }
  if (count_first() || open_legs()) return;
  if (task_.progress.cursors.empty()) return finish();
  const MonoTime now = parts_->clock.mono();
  if (is_paced() && now < pace_->wake_at()) return rest_until(pace_->wake_at());
  if (const std::optional<std::size_t> cursor = next_endpoint(now)) return take_endpoint(*cursor);
  pace_->stands_still(now);
  if (task_.progress.waits_for.empty()) {
    model::Task waiting = task_;
    waiting.progress.waits_for =
        "no endpoint takes anything now: each is paused, disabled, full, or its circuit is not "
        "closed";
    return write(std::move(waiting), {});
  }
  MonoTime first = MonoTime::max();
  for (const auto& [endpoint, until] : still_) first = std::min(first, until);
  rest_until(first);
}

// Nothing is written before its end: after a restart it begins anew.
void TaskRun::count_usage(const std::shared_ptr<UsageCount>& usage) {
  if (usage->is_done()) {
    model::Task counted = task_;
    counted.state = TaskState::Finished;
    counted.data = usage->json();
    return write(std::move(counted), {});
  }
  from_disk<Done>(
      [this, self = shared_from_this(), usage]() -> Result<Done> {
        const Status status = usage->go_on(parts_->browse);
        if (!status.ok()) return status.error();
        return Done{};
      },
      [this, usage](const Result<Done>& counted) {
        if (!counted.ok()) return fail(counted.error());
        if (is_stale_) return step();  // It may have been cancelled.
        count_usage(usage);
      });
}

// Counts what there is before anything is done, stretch by stretch.
bool TaskRun::count_first() {
  if (task_.progress.total) return false;
  const EndpointId of = task_.selection.endpoint.value_or(EndpointId());
  from_disk<Count>(
      [this, self = shared_from_this(), task = task_, count = count_,
       endpoint = parts_->endpoint(of)] {
        return Walk{parts_->browse, task, endpoint.get()}.count_on(count, parts_->clock.wall());
      },
      [this](const Result<Count>& count) {
        if (!count.ok()) return fail(count.error());
        count_ = *count;
        if (!count_.is_done) return step();
        model::Task counted = task_;
        counted.progress.total = count_.matched;
        write(std::move(counted), {});
      });
  return true;
}

// Takes up the next endpoint, if there is one and room for it.
bool TaskRun::open_legs() {
  if (task_.progress.has_all_cursors || task_.progress.cursors.size() >= kCursorsMax) return false;
  using Next = std::optional<EndpointId>;
  from_disk<Next>(
      [this, self = shared_from_this(), task = task_] {
        return Walk{parts_->browse, task}.next_endpoint(task.progress.cursors_until);
      },
      [this](const Result<Next>& next) {
        if (!next.ok()) return fail(next.error());
        model::TaskProgress& progress = task_.progress;
        if (*next) {
          progress.cursors.push_back({.endpoint = **next});
          progress.cursors_until = *next;
        } else {
          progress.has_all_cursors = true;
        }
        step();
      });
  return true;
}

std::optional<std::size_t> TaskRun::next_endpoint(MonoTime now) {
  std::erase_if(still_, [now](const auto& entry) { return entry.second <= now; });
  const std::size_t count = task_.progress.cursors.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t index = (turn_ + i) % count;
    if (!still_.contains(task_.progress.cursors[index].endpoint)) return index;
  }
  return std::nullopt;
}

void TaskRun::take_endpoint(std::size_t index) {
  turn_ = index + 1;
  if (!is_paced()) return read_endpoint(index);
  const EndpointId endpoint = task_.progress.cursors[index].endpoint;
  if (is_full(endpoint)) {
    still_[endpoint] = parts_->clock.mono() + kLookAgain;
    return step();
  }
  is_busy_ = true;
  parts_->ask(endpoint, on_loop<Readiness>([this, index, endpoint](const Readiness& readiness) {
                if (readiness == Readiness::Ready) return read_endpoint(index);
                // What is there already waits with the endpoint, or has ended with it.
                unanswered_.erase(endpoint);
                if (readiness == Readiness::Deleted) {
                  drop_endpoint(endpoint);
                } else {
                  still_[endpoint] = parts_->clock.mono() + kLookAgain;
                }
                step();
              }));
}

// Whether enough of it is on its way. What has not been answered for long never will be.
bool TaskRun::is_full(EndpointId endpoint) {
  const auto found = unanswered_.find(endpoint);
  if (found == unanswered_.end() || found->second.size() < kUnansweredMax) return false;
  const MonoTime now = parts_->clock.mono();
  std::erase_if(found->second,
                [now](const auto& entry) { return now - entry.second > kAnswerMax; });
  return found->second.size() >= kUnansweredMax;
}

std::size_t TaskRun::allowance(EndpointId endpoint) const {
  if (!is_paced()) return kBatch;
  const auto found = unanswered_.find(endpoint);
  const std::size_t out = found == unanswered_.end() ? 0 : found->second.size();
  const std::size_t room = kUnansweredMax - std::min(kUnansweredMax, out);
  return std::min({pace_->allowance(parts_->clock.mono()), room, kBatch});
}

void TaskRun::read_endpoint(std::size_t index) {
  const model::EndpointCursor cursor = task_.progress.cursors[index];
  const std::size_t limit = allowance(cursor.endpoint);
  if (limit == 0) return step();
  from_disk<Step>(
      [this, self = shared_from_this(), task = task_, cursor, limit,
       endpoint = parts_->endpoint(cursor.endpoint)] {
        return Walk{parts_->browse, task, endpoint.get()}.next(cursor, limit, parts_->clock.wall());
      },
      [this, index](const Result<Step>& step) { read(index, step); });
}

void TaskRun::read(std::size_t index, const Result<Step>& step) {
  if (!step.ok()) return fail(step.error());
  model::Task next = task_;
  std::vector<model::EndpointCursor>& cursors = next.progress.cursors;
  if (step->has_more) {
    cursors[index] = step->cursor;
  } else {
    cursors.erase(cursors.begin() + static_cast<std::ptrdiff_t>(index));
  }
  // Nothing was done, so it may be looked for again after a restart.
  if (step->done() == 0 && step->skipped == 0) {
    task_ = std::move(next);
    return this->step();
  }
  next.progress.done += step->done();
  next.progress.skipped += step->skipped;
  if (pace_) {
    // Also if the write fails: they may be on their way all the same.
    last_released_ = parts_->clock.mono();
    pace_->released(step->done(), last_released_);
    next.progress.next_at = parts_->clock.wall() + (pace_->next_at() - last_released_);
  }
  write(std::move(next), *step);
}

void TaskRun::write(model::Task next, const Step& step) {
  is_busy_ = true;
  ++next.revision;
  if (step.done() > 0 || next.has_ended()) next.progress.waits_for.clear();
  next.updated_at = parts_->clock.wall();
  if (pace_) next.progress.rate_per_minute = pace_->rate_per_minute();
  store::ChangeSet set{.changes = {store::UpdateTask{next}}, .settlements = step.settlements};
  for (const model::Delivery& delivery : step.additions) {
    set.changes.emplace_back(store::AddDelivery{delivery});
  }
  for (const MessageId& message : step.expunged) {
    set.changes.emplace_back(store::ExpungePayload{next.application, message});
  }
  // Here, so that no answer comes before it is known that one is waited for.
  if (is_paced()) {
    const MonoTime now = parts_->clock.mono();
    auto& expected = unanswered_[step.cursor.endpoint];
    for (const model::Settlement& one : step.settlements) {
      expected.insert_or_assign(one.delivery.key.message, now);
    }
    for (const model::Delivery& one : step.additions) {
      expected.insert_or_assign(one.key.message, now);
    }
    if (expected.empty()) unanswered_.erase(step.cursor.endpoint);
  }
  parts_->commit(std::move(set), on_loop<Status>([this, next, step](const Status& status) {
                   written(next, step, status);
                 }));
}

void TaskRun::written(model::Task next, const Step& step, const Status& status) {
  // Also if it failed: it may have been written all the same.
  if (!status.ok()) {
    forget_all(step);
    is_stale_ = true;
    const ErrorKind kind = status.error().kind;
    // A Conflict is another writer's doing, and there is nothing to wait for.
    if (kind == ErrorKind::Conflict) return this->step();
    if (kind == ErrorKind::Corrupt && !next.has_ended()) return fail(status.error());
    return rest_until(parts_->clock.mono() + kLookAgain);
  }
  keep_answers(next);
  task_ = std::move(next);
  if (!task_.has_ended()) return this->step();
  if (parts_->ended) parts_->ended(task_);
  end();
}

// What was seen since it was last written.
void TaskRun::keep_answers(model::Task& task) const {
  task.progress.succeeded = std::max(task.progress.succeeded, task_.progress.succeeded);
  task.progress.failed = std::max(task.progress.failed, task_.progress.failed);
}

void TaskRun::answered(const model::DeliveryKey& delivery, bool is_good) {
  if (is_over_ || !forget(delivery)) return;
  ++(is_good ? task_.progress.succeeded : task_.progress.failed);
  if (pace_) pace_->answered(is_good, parts_->clock.mono());
  go_on_if_idle();
}

void TaskRun::unsent(const model::DeliveryKey& delivery) {
  if (!is_over_ && forget(delivery)) go_on_if_idle();
}

void TaskRun::go_on_if_idle() {
  if (unanswered_.empty() && !is_busy_) step();
}

// Whether it was waited for.
bool TaskRun::forget(const model::DeliveryKey& delivery) {
  const auto found = unanswered_.find(delivery.endpoint);
  if (found == unanswered_.end() || found->second.erase(delivery.message) == 0) return false;
  if (found->second.empty()) unanswered_.erase(found);
  return true;
}

void TaskRun::forget_all(const Step& step) {
  for (const model::Settlement& one : step.settlements) forget(one.delivery.key);
  for (const model::Delivery& one : step.additions) forget(one.key);
}

void TaskRun::finish() {
  const MonoTime patience = last_released_ + kLastAnswers;
  if (!unanswered_.empty() && parts_->clock.mono() < patience) return rest_until(patience);
  model::Task finished = task_;
  finished.state = TaskState::Finished;
  // What was counted and then not found any more has moved on, or its endpoint is gone; and more
  // may have come to fit while it was under way.
  model::TaskProgress& progress = finished.progress;
  progress.total = std::max(*progress.total, progress.done + progress.skipped);
  progress.skipped = *progress.total - progress.done;
  write(std::move(finished), {});
}

void TaskRun::drop_endpoint(EndpointId endpoint) {
  std::erase_if(task_.progress.cursors, [endpoint](const model::EndpointCursor& cursor) {
    return cursor.endpoint == endpoint;
  });
}

// What cannot be read now may be readable later; what is damaged never is.
void TaskRun::fail(const Error& error) {
  if (error.kind == ErrorKind::Unavailable) {
    is_stale_ = true;
    return rest_until(parts_->clock.mono() + kLookAgain);
  }
  model::Task failed = task_;
  failed.state = TaskState::Failed;
  failed.why = error.text();
  write(std::move(failed), {});
}

void TaskRun::end() {
  is_over_ = true;
  timer_->cancel();
  over_();
}

void TaskRun::rest_until(MonoTime at) {
  is_busy_ = false;
  timer_->set(at, [weak = weak_from_this()] {
    const std::shared_ptr<TaskRun> self = weak.lock();
    if (self && !self->is_over_ && !self->is_busy_) self->step();
  });
}

}  // namespace petrel::replay
