#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "sim/judge/accusers.h"
#include "sim/judge/json_field.h"
#include "sim/judge/questions.h"
#include "sim/judge/verdict.h"

namespace petrel::sim::judge {
namespace {

// The node pauses an endpoint by itself: on 410 (or a rule that says so), on the receiver's wish,
// and on more than 100 permanent failures in a row.
class Pausing final : public Accuser {
 public:
  using Accuser::Accuser;

  void replied(const Request& request) override {
    if (is_our_fault(request.reply->kind) || request.reply->kind == Reply::Blocked) return;
    Lane& lane = lanes_[request.sent.endpoint];
    const auto policies = policies_between(scene(), request.sent.endpoint, now(), now());
    const auto pauses = [&](const Policy& policy) {
      return treatment_of(policy, request.reply->kind, request.reply->status).action ==
             Action::Pause;
    };
    const bool asks = disables_endpoint(*request.reply);
    if (asks || std::any_of(policies.begin(), policies.end(), pauses)) lane.reason_at = now();
    const LaneModel* const model = lanes().lane(request.sent.endpoint);
    const bool has_moved = model != nullptr && request.begun.mono <= model->moved_by;
    if (!has_moved && (asks || std::all_of(policies.begin(), policies.end(), pauses))) {
      if (!lane.must_since) lane.must_since = now();
    }
    if (is_success_by_some(scene(), request)) {
      lane.least = 0;
      lane.counts_from = now();
    }
    if (is_success_by_all(scene(), request)) lane.most = 0;
  }

  // Whether a failure is permanent, the record says. A 410 is none of the streak: it pauses the
  // endpoint by itself.
  void on_disk(const Track*, const OnDisk& record, const Request* request) override {
    const bool is_permanent = record.state == "dead" && record.reason == "permanent";
    if (request == nullptr || !is_permanent) return;
    Lane& lane = lanes_[record.endpoint];
    ++lane.most;
    if (request->replied.mono <= lane.counts_from) return;
    if (++lane.least > pause_after(record.endpoint) && !lane.must_since) lane.must_since = now();
  }

  // What ended while it was paused is no reason to pause it again.
  void told(const Told&, const Asked& asked) override {
    if (asked.act == Act::Resume) lanes_[asked.endpoint].must_since.reset();
  }

  // What was sent to another URL says nothing of the new one.
  void asked(const Asked& asked) override {
    const bool moves = asked.act == Act::ChangeEndpoint && text_field(read_json(asked.json), "url");
    if (asked.act == Act::Resume || moves) lanes_[asked.endpoint].must_since.reset();
    if (asked.act != Act::Pause) return;
    Lane& lane = lanes_[asked.endpoint];
    // What is not on disk yet may count already.
    const LaneModel* const model = lanes().lane(asked.endpoint);
    const int unsettled = model == nullptr ? 0 : model->unsettled;
    const bool is_streak = lane.most + unsettled > pause_after(asked.endpoint);
    if (asked.is_own && !is_streak && !lane.reason_at) {
      accuse(Rule::WronglyPaused, asked.endpoint,
             fmt::format("paused by itself after {} permanent failures in a row", lane.most));
    }
    // Only a success ends the streak; whether a pause that comes of it begins a new one is open.
    lane.least = 0;
    lane.counts_from = now();
    lane.reason_at.reset();
  }

  // Nothing is sent from the moment at which the node knows the reason, whenever the pause is on
  // disk.
  void requested(const Request& request) override {
    Lane& lane = lanes_[request.sent.endpoint];
    if (!lane.must_since || *lane.must_since + settings().lateness >= now()) return;
    lane.must_since.reset();
    accuse(Rule::Paused, request.delivery(),
           "sent although the receiver is gone, asked for a pause or fails for good");
  }

  // A pause that was on its way when the process died is asked for again by the next 410. What was
  // not on disk by then may be on record with what came after it, and counts again then; what lanes
  // count of it may also be forgotten.
  void life(const Life& life) override {
    for (auto& [endpoint, lane] : lanes_) {
      const LaneModel* const model = lanes().lane(endpoint);
      if (life.event == Life::Event::Crashed && model != nullptr) lane.most += model->unsettled;
      if (life.event != Life::Event::Started) continue;
      lane.must_since.reset();
      lane.least = 0;
    }
  }

 private:
  struct Lane {
    int most = 0;  // Permanent failures in a row, at most and at least.
    int least = 0;
    MonoTime counts_from = MonoTime::min();  // What ended by then and is on record later.
    std::optional<MonoTime> reason_at;       // There may be a reason to pause it.
    std::optional<MonoTime> must_since;      // There is.
  };

  int pause_after(EndpointId endpoint) const {
    int most = figures::kPauseAfter;
    const auto readings = catalogue().at(endpoint, now());
    if (!readings.empty()) most = readings.front()->settings.guards.pause_after;
    return most;
  }

  std::map<EndpointId, Lane> lanes_;
};

}  // namespace

std::unique_ptr<Accuser> pausing(Bench bench) { return std::make_unique<Pausing>(bench); }

}  // namespace petrel::sim::judge
