#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "sim/judge/accusers.h"
#include "sim/judge/task_reading.h"

namespace petrel::sim::judge {
namespace {

using Kind = TaskReading::Kind;

constexpr double kRounding = 0.01;
constexpr Duration kFirstMinute = std::chrono::minutes(1);

// What runs into it never stands higher than its size.
class Pace {
 public:
  Pace(double per_minute, double size) : per_minute_(per_minute), size_(size) {}

  bool add(MonoTime at, double count) {
    const double passed = std::chrono::duration<double, std::ratio<60>>(at - last_).count();
    level_ = std::max(0.0, level_ - std::max(0.0, passed) * per_minute_) + count;
    last_ = std::max(last_, at);
    return level_ <= size_ + kRounding;
  }

 private:
  double per_minute_;
  double size_;
  double level_ = 0;
  MonoTime last_{};
};

// It catches up one second at most, beside the one that is due.
double size_of(int rate, bool may_double) {
  return std::max(may_double ? 2.0 : 1.0, rate / 60.0) + 1;
}

class Replay final : public Accuser {
 public:
  using Accuser::Accuser;

  void asked(const Asked& asked) override {
    if (asked.act == Act::StartTask) return open(asked);
    const auto file = files_.find(asked.task);
    if (file == files_.end()) return;
    if (asked.act == Act::ResumeTask) file->second.stopped_at.reset();
  }

  void told(const Told& told, const Asked& asked) override {
    const auto file = files_.find(asked.task);
    if (file == files_.end() || told.status / 100 != 2) return;
    if (asked.act == Act::PauseTask || asked.act == Act::CancelTask) {
      file->second.stopped_at = now();
    }
  }

  void passed(const Moment& now) override {
    for (const EndpointId endpoint : catalogue().endpoints()) {
      const LaneModel* const lane = lanes().lane(endpoint);
      const bool takes = lane == nullptr || (lane->may_send && lane->circuit.may_be_closed());
      if (takes) {
        standing_.erase(endpoint);
      } else {
        standing_.try_emplace(endpoint, now.mono);
      }
    }
  }

  void on_disk(const Track* before, const OnDisk& record, const Request*) override {
    const DeliveryName name{record.endpoint, record.message};
    for (auto& [task, file] : files_) {
      if (record.by != By::Task || record.task != task) file.moved.insert(name);
    }
    const auto file = files_.find(record.task);
    if (record.by == By::Task && file != files_.end()) worked(file->second, before, record);
  }

  void task_on_disk(const TaskOnDisk& record) override {
    const auto file = files_.find(record.task);
    if (file == files_.end()) return;
    check_word(file->second, record);
    if (record.state == "finished" && file->second.state != "finished") {
      check_finished(file->second, record);
    }
    if (record.state == "failed") {
      accuse(Rule::ReplaySkipped, record.task.text() + " has failed");
    }
    file->second.state = record.state;
    file->second.done = record.done;
    file->second.skipped = record.skipped;
  }

  void rested(const Dump&) override {
    for (const auto& [task, file] : files_) {
      if (file.state != "running" || !standing_.empty()) continue;
      accuse(Rule::ReplaySkipped, task.text() + " has not ended, and nothing happens any more");
    }
  }

 private:
  struct File {
    TaskReading reading;
    Pace pace;
    Pace first_minute;
    std::optional<MonoTime> began = std::nullopt;       // With its first hand-over.
    std::set<DeliveryName> meant = {};                  // When it was asked for.
    std::set<DeliveryName> moved = {};                  // By others, since.
    std::set<DeliveryName> changed = {};                // By it.
    std::optional<MonoTime> stopped_at = std::nullopt;  // By people.
    std::string state = {};
    std::uint64_t done = 0;
    std::uint64_t skipped = 0;
  };

  void open(const Asked& asked) {
    const TaskReading reading = read_task(asked);
    if (reading.kind == Kind::Other) return;
    File file{
        .reading = reading,
        .pace = {static_cast<double>(reading.ceiling), size_of(reading.ceiling, reading.has_ramp)},
        .first_minute = {static_cast<double>(reading.rate), size_of(reading.rate, false)}};
    const Duration sure = -settings().slack;
    for (const auto& [name, track] : scene().tracks()) {
      const bool is_ours = track.application == asked.application;
      if (is_ours && reading.is_about(scene(), name, &track, sure)) file.meant.insert(name);
    }
    for (const auto& [number, post] : scene().posts()) {
      if (reading.kind != Kind::Missing || !post.told || post.told->status / 100 != 2) continue;
      for (const EndpointId endpoint : catalogue().endpoints_of(asked.application)) {
        const DeliveryName name{endpoint, post.told->message};
        if (scene().track(name) != nullptr) continue;
        if (reading.is_about(scene(), name, nullptr, sure)) file.meant.insert(name);
      }
    }
    files_.emplace(asked.task, std::move(file));
  }

  void worked(File& file, const Track* before, const OnDisk& record) {
    const DeliveryName name{record.endpoint, record.message};
    if (!file.changed.insert(name).second) {
      accuse(Rule::ReplayTwice, name, "a task changed it a second time");
    }
    if (!file.reading.is_about(scene(), name, before, settings().slack)) {
      accuse(Rule::ReplayUnmeant, name, "a task changed it that is not about it");
    }
    const MonoTime at = record.handed_over.value_or(now());
    if (file.stopped_at && at > *file.stopped_at + settings().slack) {
      accuse(Rule::ReplayWord, name, "a task goes on that was paused or cancelled");
    }
    if (!file.reading.puts_back()) return;
    if (!file.began) file.began = at;
    if (!file.pace.add(at, 1)) {
      accuse(Rule::ReplayRate, name,
             fmt::format("put back faster than {} a minute", file.reading.ceiling));
    } else if (at - *file.began < kFirstMinute && !file.first_minute.add(at, 1)) {
      accuse(Rule::ReplayRate, name,
             fmt::format("put back faster than {} in the first minute", file.reading.rate));
    }
    const auto standing = standing_.find(name.endpoint);
    if (standing == standing_.end() || at <= standing->second + settings().slack) return;
    accuse(Rule::ReplayRate, name, "put back although its endpoint takes nothing");
  }

  void check_word(const File& file, const TaskOnDisk& record) {
    const bool has_ended =
        file.state == "finished" || file.state == "cancelled" || file.state == "failed";
    const bool is_revived =
        file.state == "paused" && record.by == By::Task && record.state != "paused";
    if ((has_ended && record.state != file.state) || is_revived) {
      accuse(Rule::ReplayWord,
             fmt::format("{} was {} and is {} now", record.task.text(), file.state, record.state));
    }
    if (record.done < file.done || record.skipped < file.skipped) {
      accuse(Rule::ReplayWord, "the progress of " + record.task.text() + " went back");
    }
  }

  void check_finished(const File& file, const TaskOnDisk& record) {
    for (const DeliveryName& name : file.meant) {
      const bool is_excused =
          file.changed.contains(name) || file.moved.contains(name) || file.reading.is_narrower ||
          !catalogue().must_exist(name.endpoint, now()) || scene().may_be_expunged(name.message);
      if (!is_excused) accuse(Rule::ReplaySkipped, name, "a task is finished and has skipped it");
    }
    const bool fits = !record.total || record.done + record.skipped == *record.total;
    if (fits && record.done >= file.changed.size()) return;
    accuse(Rule::ReplaySkipped,
           fmt::format("{} says {} done and {} skipped of {}; it changed {}", record.task.text(),
                       record.done, record.skipped, record.total.value_or(0), file.changed.size()));
  }

  std::map<TaskId, File> files_;
  std::map<EndpointId, MonoTime> standing_;  // Endpoints that take nothing, and since when.
};

}  // namespace

std::unique_ptr<Accuser> replay(Bench bench) { return std::make_unique<Replay>(bench); }

}  // namespace petrel::sim::judge
