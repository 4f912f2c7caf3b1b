#include "sim/replay_audit.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sim/replay_match.h"

namespace petrel::sim {
namespace {

using model::TaskState;
using model::TaskType;

// For what is lost when times are cut to microseconds.
constexpr double kRounding = 0.01;

// So many can be caught up with at once, beside the one that is due.
double credit_of(int rate_per_minute) { return std::max(1.0, rate_per_minute / 60.0); }

double ceiling_credit_of(const model::Pacing& pacing) {
  const double credit = credit_of(pacing.rate_per_minute_max);
  return pacing.has_ramp ? std::max(2.0, credit) : credit;
}

std::size_t batch_max_of(const model::Pacing& pacing) {
  return std::min(replay::TaskRun::kBatch,
                  static_cast<std::size_t>(1 + credit_of(pacing.rate_per_minute_max)));
}

bool puts_back(const model::Task& task) { return task.type != TaskType::Discard; }

}  // namespace

bool LeakyBucket::add(MonoTime at, std::size_t count) {
  const double passed = std::chrono::duration<double, std::ratio<60>>(at - last_).count();
  level_ = std::max(0.0, level_ - passed * per_minute_) + static_cast<double>(count);
  last_ = at;
  return level_ <= size_ + kRounding;
}

void ReplayTotals::add(const ReplayTotals& other) {
  tasks += other.tasks;
  finished += other.finished;
  cancelled += other.cancelled;
  put_back += other.put_back;
  discarded += other.discarded;
  skipped += other.skipped;
  overtaken += other.overtaken;
  late_steps += other.late_steps;
  crashes += other.crashes;
}

void ReplayAudit::look_at(ReplayDisk& disk, ReplayLanes& lanes) {
  disk_ = &disk;
  lanes_ = &lanes;
}

void ReplayAudit::accuse(ReplayPromise promise, std::string text) {
  if (violation_) return;
  violation_ = ReplayViolation{promise, std::move(text)};
  world_.stop();
}

void ReplayAudit::open(const model::Task& task) {
  const model::Pacing& pacing = task.pacing;
  const double ceiling = pacing.rate_per_minute_max;
  const double credit = ceiling_credit_of(pacing);
  const std::size_t batch = batch_max_of(pacing);
  File file{.made = task,
            .on_hand_over = {ceiling, credit + 1},
            .on_disk = {ceiling, credit + 1 + static_cast<double>(batch)},
            .first_minute = {static_cast<double>(pacing.rate_per_minute),
                             credit_of(pacing.rate_per_minute) + 1},
            .batch_max = batch};
  for (const model::Message& message : disk_->messages_on_disk(task.application)) {
    for (const EndpointId endpoint : lanes_->endpoints()) {
      const model::DeliveryKey key{endpoint, message.id};
      const auto delivery = disk_->delivery_on_disk(key);
      if (is_meant(task, {message, lanes_->record(endpoint), delivery})) file.meant.insert(key);
    }
  }
  ++totals_.tasks;
  log_.add(fmt::format("{} is created; {} are meant", task.id.text(), file.meant.size()));
  files_.emplace(task.id, std::move(file));
}

void ReplayAudit::seen(const ReplayWrite& write) {
  if (write.task_after && !write.task_before) return open(*write.task_after);
  for (auto& [id, file] : files_) {
    if (file.has_ended || id == write.task) continue;
    for (const DeliveryChange& change : write.deliveries) file.moved.insert(change.after.key);
  }
  if (write.task && (!write.deliveries.empty() || write.overtaken > 0)) {
    worked(files_.at(*write.task), write);
  }
  if (!write.task_after) return;
  if (write.task_after->state != write.task_before->state) {
    log_.add(
        fmt::format("{} is {}", write.task_after->id.text(), to_string(write.task_after->state)));
  }
  check_word(write);
  if (write.task_after->has_ended()) check_end(files_.at(write.task_after->id), *write.task_after);
}

void ReplayAudit::worked(File& file, const ReplayWrite& write) {
  const std::string name = file.made.id.text();
  file.overtaken += write.overtaken;
  totals_.overtaken += write.overtaken;
  (puts_back(file.made) ? totals_.put_back : totals_.discarded) += write.deliveries.size();
  for (const DeliveryChange& change : write.deliveries) {
    const model::DeliveryKey& key = change.after.key;
    log_.add(fmt::format("{} brings {} to {} to {}", name, key.message.text(), key.endpoint.text(),
                         to_string(change.after.state)));
    if (!file.changed.insert(key).second) {
      accuse(ReplayPromise::Once,
             fmt::format("{} changed {} a second time", name, key.message.text()));
    }
    const model::Message message = disk_->message_on_disk(file.made.application, key.message);
    if (!is_meant(file.made, {message, lanes_->record(key.endpoint), change.before})) {
      accuse(ReplayPromise::OnlyWhatIsMeant,
             fmt::format("{} is not about {}", name, key.message.text()));
    }
  }
  if (!puts_back(file.made) || write.deliveries.empty()) return;
  check_rate(file, write);
  check_standing(file, write);
}

void ReplayAudit::check_rate(File& file, const ReplayWrite& write) {
  const std::string name = file.made.id.text();
  const std::size_t count = write.deliveries.size();
  if (count > file.batch_max) {
    accuse(ReplayPromise::Rate, fmt::format("{} put {} back at once", name, count));
  }
  if (!file.on_hand_over.add(write.handed_over, count)) {
    accuse(ReplayPromise::Rate, fmt::format("{} is faster than its pace", name));
  }
  if (!file.on_disk.add(world_.now(), count)) {
    accuse(ReplayPromise::Rate, fmt::format("{} puts back faster than its pace", name));
  }
  const bool is_first_minute = write.handed_over - write.began < std::chrono::minutes(1);
  if (is_first_minute && !file.first_minute.add(write.handed_over, count)) {
    accuse(ReplayPromise::Rate, fmt::format("{} begins faster than it was asked to", name));
  }
}

void ReplayAudit::check_standing(File& file, const ReplayWrite& write) {
  const EndpointId endpoint = write.deliveries.front().after.key.endpoint;
  if (lanes_->standing(endpoint) == replay::Standing::Takes) return;
  ++totals_.late_steps;
  if (++file.late[endpoint] <= 1) return;
  accuse(ReplayPromise::Standing, fmt::format("{} goes on with {}, which takes nothing",
                                              file.made.id.text(), endpoint.text()));
}

void ReplayAudit::check_word(const ReplayWrite& write) {
  const model::Task& before = *write.task_before;
  const model::Task& after = *write.task_after;
  const std::string name = after.id.text();
  if (before == after) return;
  const bool is_by_task = write.hand == ReplayHand::Task;
  if (before.has_ended() || (is_by_task && before.state == TaskState::Paused)) {
    accuse(ReplayPromise::WordHolds,
           fmt::format("{} was {} and went on", name, to_string(before.state)));
  }
  const bool has_gone_back = after.progress.done < before.progress.done ||
                             after.progress.skipped < before.progress.skipped;
  if (has_gone_back || (!is_by_task && after.progress != before.progress)) {
    accuse(ReplayPromise::WordHolds, fmt::format("the progress of {} was written over", name));
  }
}

void ReplayAudit::check_end(File& file, const model::Task& task) {
  if (file.has_ended) return;
  file.has_ended = true;
  const std::string name = task.id.text();
  if (task.state == TaskState::Failed) {
    return accuse(ReplayPromise::ComesToRest, fmt::format("{} has failed: {}", name, task.why));
  }
  totals_.skipped += task.progress.skipped;
  if (task.state == TaskState::Cancelled) ++totals_.cancelled;
  if (task.state != TaskState::Finished) return;
  ++totals_.finished;
  for (const model::DeliveryKey& key : file.meant) {
    const bool is_excused = file.changed.contains(key) || file.moved.contains(key) ||
                            lanes_->endpoint(key.endpoint) == nullptr ||
                            (puts_back(file.made) && !disk_->has_payload(key.message));
    if (is_excused) continue;
    accuse(ReplayPromise::NothingSkipped,
           fmt::format("{} is finished and has skipped {} to {}", name, key.message.text(),
                       key.endpoint.text()));
  }
  check_sums(file, task);
}

void ReplayAudit::check_sums(const File& file, const model::Task& task) {
  const model::TaskProgress& progress = task.progress;
  const std::uint64_t handled = file.changed.size() + file.overtaken;
  if (progress.done != handled) {
    accuse(ReplayPromise::Once, fmt::format("{} says that it has done {} and not {}",
                                            task.id.text(), progress.done, handled));
  }
  const std::uint64_t accounted = progress.done + progress.skipped;
  // Of what was sent, some may have ended since; and a clock that was set back brings new deaths
  // among the old ones.
  const bool may_be_more = task.type == TaskType::BulkReplay || world_.clock().steps() > 0;
  const bool adds_up =
      progress.total && (may_be_more ? accounted >= *progress.total : accounted == *progress.total);
  if (adds_up) return;
  accuse(ReplayPromise::NothingSkipped,
         fmt::format("{}: {} done and {} skipped of {}", task.id.text(), progress.done,
                     progress.skipped, progress.total.value_or(0)));
}

void ReplayAudit::stopped(EndpointId endpoint) {
  for (auto& [id, file] : files_) file.late.erase(endpoint);
}

void ReplayAudit::stepped(Duration by) {
  log_.add(fmt::format("the wall clock is set by {} s", by / std::chrono::seconds(1)));
  if (by < Duration(0)) return;
  for (auto& [id, file] : files_) {
    file.on_hand_over.widen();
    file.on_disk.widen();
    file.first_minute.widen();
  }
}

void ReplayAudit::rested(OrganisationId organisation) {
  if (world_.is_spinning()) {
    return accuse(ReplayPromise::ComesToRest, "the process goes round in a circle");
  }
  for (const model::Task& task : disk_->tasks_on_disk(organisation)) {
    if (task.state != TaskState::Running) continue;
    accuse(ReplayPromise::ComesToRest,
           fmt::format("{} is still running: {} done of {}", task.id.text(), task.progress.done,
                       task.progress.total.value_or(0)));
  }
}

}  // namespace petrel::sim
