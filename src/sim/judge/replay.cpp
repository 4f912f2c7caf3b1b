#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sim/judge/accusers.h"
#include "sim/judge/pace_model.h"
#include "sim/judge/task_reading.h"

namespace petrel::sim::judge {
namespace {

using Kind = TaskReading::Kind;
using How = TaskReading::How;

bool is_task_act(const Asked& asked) {
  return asked.act == Act::StartTask || (asked.act == Act::Expunge && asked.task != TaskId());
}

class Replay final : public Accuser {
 public:
  using Accuser::Accuser;

  void asked(const Asked& asked) override {
    if (asked.task == TaskId()) return;
    asked_at_.emplace(asked.number, now());
    if (is_task_act(asked)) open(asked);
  }

  void told(const Told& told, const Asked& asked) override {
    const auto found = files_.find(asked.task);
    if (found == files_.end() || told.status / 100 != 2) return;
    const File& file = found->second;
    if (is_task_act(asked) && !file.record) {
      accuse(Rule::ReplaySkipped, asked.task.text() + " was answered, and is not on disk");
    }
    if (file.record) check_order(asked, file);
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

  void task_step(const TaskStep& step) override {
    const auto found = files_.find(step.task);
    if (found == files_.end() || std::exchange(found->second.has_begun, true)) return;
    found->second.on_hand_over.begin(now());
    found->second.on_disk.begin(now());
  }

  // How long a task has to wait is kept as a wall time: after a setting forward a start, or a
  // resumption, may take it for over.
  void clock_set(const ClockSet& set) override {
    if (set.by <= Duration::zero()) return;
    for (auto& [task, file] : files_) {
      file.on_hand_over.widen();
      file.on_disk.widen();
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

  void payload_gone(const PayloadGone& gone) override {
    const auto found = files_.find(gone.task);
    if (gone.by != By::Task || found == files_.end()) return;
    File& file = found->second;
    const DeliveryName name{{}, gone.message};
    check_once(file, name);
    if (!file.reading.is_about(scene(), gone.message)) {
      accuse(Rule::ReplayUnmeant, name, "a task expunged it that is not about it");
    }
  }

  void task_on_disk(const TaskOnDisk& record) override {
    const auto found = files_.find(record.task);
    if (found == files_.end()) return;
    File& file = found->second;
    if (file.record == record) return;  // The same once more.
    file.overtaken += record.overtaken;
    if (file.record) check_word(*file.record, record);
    const bool was_finished = file.record && file.record->state == "finished";
    if (record.state == "finished" && !was_finished) check_finished(file, record);
    if (record.state == "failed") {
      accuse(Rule::ReplaySkipped, record.task.text() + " has failed");
    }
    if (record.by == By::Person) file.ordered[record.state] = now();
    file.record = record;
  }

  void rested(const Dump&) override {
    for (const auto& [task, file] : files_) {
      if (!file.record || file.record->state != "running" || may_stand(file)) continue;
      accuse(Rule::ReplaySkipped,
             fmt::format("{} has not ended, and nothing happens any more: {} done and {} skipped",
                         task.text(), file.record->done, file.record->skipped));
    }
  }

 private:
  // Steps to an endpoint since it takes nothing.
  struct Late {
    MonoTime since{};
    MonoTime last{};
    int steps = 0;
  };

  struct File {
    TaskReading reading;
    PaceModel on_hand_over;
    PaceModel on_disk;
    bool has_begun = false;
    std::set<DeliveryName> meant = {};    // When it was asked for.
    std::set<DeliveryName> moved = {};    // By others, since.
    std::set<DeliveryName> changed = {};  // By it.
    std::map<EndpointId, Late> late = {};
    std::optional<TaskOnDisk> record = std::nullopt;  // As it is on disk.
    std::uint64_t overtaken = 0;
    std::map<std::string, MonoTime> ordered = {};  // When a person last brought it to a state.
  };

  void open(const Asked& asked) {
    if (files_.contains(asked.task)) return;  // The same once more, by its key.
    const TaskReading reading = read_task(asked, scene().now().wall);
    PaceModel::Settings pace{.rate = reading.rate, .ceiling = reading.ceiling};
    const PaceModel on_hand_over(pace);
    // On disk it arrives later, but the next step is not begun before: one of them more may come
    // together.
    pace.extra = std::max(1.0, pace.ceiling / 60.0) + 1;
    File file{.reading = reading, .on_hand_over = on_hand_over, .on_disk = PaceModel(pace)};
    for (const auto& [name, track] : scene().tracks()) {
      if (scene().is_dropped(name)) continue;
      if (reading.is_about(scene(), name, &track, How::Surely)) file.meant.insert(name);
    }
    for (const auto& [number, post] : scene().posts()) {
      if (!post.told || post.told->status / 100 != 2) continue;
      if (post.asked.application == asked.application) mean(file, post.told->message);
    }
    files_.emplace(asked.task, std::move(file));
  }

  void mean(File& file, MessageId message) const {
    const TaskReading& reading = file.reading;
    const bool has_payload = !scene().may_be_expunged(message) || reading.kind == Kind::Expunge;
    if (reading.is_about(scene(), message) && !scene().is_payload_gone(message)) {
      file.meant.insert({{}, message});
    }
    if (reading.kind != Kind::Missing || !has_payload) return;
    if (scene().is_payload_gone(message)) return;
    for (const EndpointId endpoint : catalogue().endpoints_of(reading.application)) {
      const DeliveryName name{endpoint, message};
      if (scene().track(name) != nullptr) continue;
      if (reading.is_about(scene(), name, nullptr, How::Surely)) file.meant.insert(name);
    }
  }

  void check_once(File& file, const DeliveryName& name) {
    if (!file.changed.insert(name).second) {
      accuse(Rule::ReplayTwice, name, "a task changed it a second time");
    }
    const bool has_stopped = file.record && file.record->state != "running";
    if (!file.record || has_stopped) {
      accuse(Rule::ReplayWord, name,
             fmt::format("changed by a task that is {}",
                         file.record ? file.record->state : "not on disk"));
    }
  }

  void worked(File& file, const Track* before, const OnDisk& record) {
    const DeliveryName name{record.endpoint, record.message};
    check_once(file, name);
    if (!file.reading.is_about(scene(), name, before, How::Perhaps)) {
      accuse(Rule::ReplayUnmeant, name, "a task changed it that is not about it");
    }
    if (!file.reading.puts_back()) return;
    const MonoTime at = record.handed_over.value_or(now());
    if (!file.has_begun) task_step({record.task});
    if (!file.on_hand_over.add(at)) {
      accuse(Rule::ReplayRate, name,
             fmt::format("put back faster than from {} to {} a minute", file.reading.rate,
                         file.reading.ceiling));
    } else if (!file.on_disk.add(now())) {
      accuse(Rule::ReplayRate, name,
             fmt::format("on disk faster than from {} to {} a minute", file.reading.rate,
                         file.reading.ceiling));
    }
    check_standing(file, name, at);
  }

  // Only the step goes whose question was answered before the endpoint stopped.
  void check_standing(File& file, const DeliveryName& name, MonoTime at) {
    const auto standing = standing_.find(name.endpoint);
    if (standing == standing_.end()) return;
    const MonoTime since = standing->second;
    if (at <= since + settings().lateness) return;
    Late& late = file.late[name.endpoint];
    if (late.since != since) late = {.since = since};
    if (late.last != at) ++late.steps;
    late.last = at;
    if (late.steps == 1 && at <= since + settings().slack) return;
    accuse(Rule::ReplayRate, name, "put back although its endpoint takes nothing");
  }

  // Whether a task may have to wait for an endpoint.
  bool may_stand(const File& file) const {
    const auto& endpoints = catalogue().endpoints_of(file.reading.application);
    return std::any_of(endpoints.begin(), endpoints.end(), [&](EndpointId endpoint) {
      return standing_.contains(endpoint) && file.reading.endpoint.value_or(endpoint) == endpoint;
    });
  }

  // What a person ordered and was told of is on disk, unless another person ordered otherwise.
  void check_order(const Asked& asked, const File& file) {
    const MonoTime since = asked_at_.at(asked.number);
    const auto ordered_since = [&](const char* state) {
      const auto found = file.ordered.find(state);
      return found != file.ordered.end() && found->second >= since;
    };
    const std::string& state = file.record->state;
    const bool is_paused = state != "running" || ordered_since("running");
    const bool is_resumed = state != "paused" || ordered_since("paused");
    const bool holds = asked.act == Act::PauseTask    ? is_paused
                       : asked.act == Act::ResumeTask ? is_resumed
                       : asked.act == Act::CancelTask ? state == "cancelled"
                                                      : true;
    if (holds) return;
    accuse(Rule::ReplayWord,
           fmt::format("{} was ordered otherwise, and is {}", asked.task.text(), state));
  }

  void check_word(const TaskOnDisk& before, const TaskOnDisk& record) {
    const bool has_ended = before.state != "running" && before.state != "paused";
    const bool is_revived = before.state == "paused" && record.by == By::Task;
    if (has_ended || is_revived) {
      accuse(Rule::ReplayWord, fmt::format("{} was {} and went on, and is {} now",
                                           record.task.text(), before.state, record.state));
    }
    const bool has_gone_back = record.done < before.done || record.skipped < before.skipped;
    const bool is_changed = record.done != before.done || record.skipped != before.skipped;
    if (has_gone_back || (is_changed && record.by == By::Person)) {
      accuse(Rule::ReplayWord, "the progress of " + record.task.text() + " was written over");
    }
  }

  bool is_excused(const File& file, const DeliveryName& name) const {
    if (file.changed.contains(name) || file.moved.contains(name)) return true;
    if (file.reading.kind == Kind::Expunge) return scene().is_payload_gone(name.message);
    if (scene().is_dropped(name)) return true;
    if (!file.reading.puts_back()) return false;
    if (scene().is_payload_gone(name.message)) return true;
    return !catalogue().must_exist(name.endpoint, now()) || scene().may_be_expunged(name.message);
  }

  void check_finished(const File& file, const TaskOnDisk& record) {
    for (const DeliveryName& name : file.meant) {
      if (is_excused(file, name)) continue;
      accuse(Rule::ReplaySkipped, name, "a task is finished and has skipped it");
    }
    if (file.reading.kind == Kind::Other) return;
    const std::uint64_t handled = file.changed.size() + file.overtaken;
    if (record.total == record.done + record.skipped && record.done == handled) return;
    accuse(Rule::ReplaySkipped,
           fmt::format("{} says {} done and {} skipped of {}; it changed {}, and {} were overtaken",
                       record.task.text(), record.done, record.skipped, record.total.value_or(0),
                       file.changed.size(), file.overtaken));
  }

  std::map<TaskId, File> files_;
  std::map<std::uint64_t, MonoTime> asked_at_;
  std::map<EndpointId, MonoTime> standing_;  // Endpoints that take nothing, and since when.
};

}  // namespace

std::unique_ptr<Accuser> replay(Bench bench) { return std::make_unique<Replay>(bench); }

}  // namespace petrel::sim::judge
