#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "sim/judge/accusers.h"

namespace petrel::sim::judge {
namespace {

class Unbounded final : public Accuser {
 public:
  using Accuser::Accuser;

  void passed(const Moment& now) override {
    ++heard_;
    for (const EndpointId endpoint : catalogue().endpoints()) {
      const bool has_work =
          !scene().waiting(endpoint).empty() || scene().in_flight_to(endpoint) > 0;
      if (has_work) worked_[endpoint] = now.mono;
    }
  }

  // Which endpoints a message is for is not known until it is on disk. One that was accepted before
  // gives them nothing to do.
  void asked(const Asked& asked) override {
    if (asked.act == Act::Post && accepted_.contains({asked.application, asked.key})) return;
    ++causes_;
    if (asked.act == Act::Resume) worked_[asked.endpoint] = now();  // Its ramp has to end.
    if (asked.act != Act::Post) return;
    for (const EndpointId endpoint : catalogue().endpoints_of(asked.application)) {
      worked_[endpoint] = now();
    }
  }

  void told(const Told& told, const Asked& asked) override {
    if (asked.act != Act::Post) return;
    if (told.status / 100 == 2 && !asked.key.empty()) {
      accepted_.emplace(asked.application, asked.key);
    }
    // Whether it was written is for the lanes to find out.
    if (told.status / 100 == 5) ++causes_;
  }

  // What could not be read is read again, but not at once. A task goes over many rows, and over all
  // of those that it has read since its last step once more.
  void store_away(const StoreAway&) override { failures_ += running_.empty() ? 1 : rows(); }

  // It goes over all that there is, and once more if it has waited.
  void task_on_disk(const TaskOnDisk& record) override {
    ++causes_;
    ran_task_ = true;
    if (record.state == "running") {
      running_.insert(record.task);
    } else {
      running_.erase(record.task);
    }
  }
  void on_disk(const Track*, const OnDisk&, const Request*) override { ++causes_; }
  void requested(const Request& request) override {
    ++causes_;
    worked_[request.sent.endpoint] = now();
    check_payloads(request.sent.payload_bytes);
  }
  void life(const Life&) override { ++causes_; }

  void counted(const Counted& counted) override {
    // While nothing can be written all lanes stand still.
    const bool is_store_well =
        !scene().is_store_away() && scene().store_back_at() + settings().slack <= now();
    const std::size_t allowed = lanes_allowed();
    if (is_store_well && counted.lanes > allowed) {
      accuse(Rule::Unbounded, fmt::format("{} lanes, and {} endpoints had work in the last hour",
                                          counted.lanes, allowed));
    }
    check_payloads(counted.payload_bytes);
    check_reads(counted);
    check_rest(counted);
    last_ = counted;
    was_idle_ = is_idle();
    heard_ = causes_ = failures_ = 0;
    ran_task_ = !running_.empty();
  }

 private:
  void check_payloads(std::size_t bytes) {
    if (bytes <= settings().payload_bytes_max) return;
    accuse(Rule::Unbounded, fmt::format("{} bytes of payloads, and {} are allowed", bytes,
                                        settings().payload_bytes_max));
  }

  // Since the last count.
  void check_reads(const Counted& counted) {
    const std::uint64_t reads = counted.store_reads - (last_ ? last_->store_reads : 0);
    const std::uint64_t causes = causes_ + (ran_task_ ? rows() : 0);
    const std::uint64_t allowed = settings().reads_for_nothing +
                                  settings().reads_per_cause * causes +
                                  settings().reads_per_failure * failures_;
    if (reads <= allowed) return;
    accuse(Rule::Unbounded,
           fmt::format("{} reads of the store for {} messages, acts and starts", reads, causes_));
  }

  // Idle loops sleep.
  void check_rest(const Counted& counted) {
    const bool was_quiet = last_ && was_idle_ && heard_ <= 1 && is_idle();
    if (!was_quiet || counted.turns <= last_->turns + settings().turns_idle_max) return;
    accuse(Rule::Restless,
           fmt::format("{} turns while there was nothing to do", counted.turns - last_->turns));
  }

  // What there is to go over.
  std::size_t rows() const { return scene().tracks().size() + scene().posts().size(); }

  // Nothing is in flight or due, and no task is under way.
  bool is_idle() const {
    if (!scene().in_flight().empty() || !running_.empty()) return false;
    const auto& endpoints = catalogue().endpoints();
    return std::none_of(endpoints.begin(), endpoints.end(), [&](EndpointId endpoint) {
      const auto next = lanes().next_of(endpoint);
      return next && next->due <= now();
    });
  }

  std::size_t lanes_allowed() const {
    const MonoTime since = now() - figures::kLaneRests - settings().slack;
    const auto& endpoints = catalogue().endpoints();
    const auto count = std::count_if(endpoints.begin(), endpoints.end(), [&](EndpointId endpoint) {
      const auto worked = worked_.find(endpoint);
      if (worked == worked_.end()) return false;
      return worked->second >= since || !is_at_ease(endpoint);
    });
    return static_cast<std::size_t>(count);
  }

  // A lane with something that it must not forget stays.
  bool is_at_ease(EndpointId endpoint) const {
    const LaneModel* const lane = lanes().lane(endpoint);
    if (lane == nullptr) return true;
    const auto& states = lane->circuit.states();
    const bool is_clean = std::all_of(states.begin(), states.end(), [](const CircuitState& state) {
      return state.is_closed() && !state.ramp && state.streak == 0 && state.exhausted.empty();
    });
    // One that is paused may wait to read whether there is something for it.
    return is_clean && lane->must_send && lane->hold.perhaps_until() <= now();
  }

  std::map<EndpointId, MonoTime> worked_;                     // When it last had something to do.
  std::set<std::pair<ApplicationId, std::string>> accepted_;  // The keys of posts.
  // Since the last count: what there was to do, what went wrong, and pieces of evidence.
  std::uint64_t causes_ = 0;
  std::uint64_t failures_ = 0;
  std::uint64_t heard_ = 0;
  bool ran_task_ = false;  // At some time since the last count.
  std::set<TaskId> running_;
  std::optional<Counted> last_;
  bool was_idle_ = false;
};

}  // namespace

std::unique_ptr<Accuser> unbounded(Bench bench) { return std::make_unique<Unbounded>(bench); }

}  // namespace petrel::sim::judge
