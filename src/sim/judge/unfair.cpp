#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "sim/judge/accusers.h"
#include "sim/judge/questions.h"
#include "sim/judge/verdict.h"

namespace petrel::sim::judge {
namespace {

class Unfair final : public Accuser {
 public:
  using Accuser::Accuser;

  void requested(const Request& request) override {
    if (const Track* const track = scene().track(request.delivery())) take_turn(*track, request);
  }

  void replied(const Request& request) override {
    Turns& turns = turns_[request.sent.endpoint];
    if (is_our_fault(request.reply->kind)) turns.faulted_at = now();
    // A hold or an open circuit takes back what was let go and waits for its payload.
    if (!is_success_by_all(scene(), request)) turns.count = 0;
  }

  // What waits is read anew after a pause or a restart, and what is read first goes first.
  void asked(const Asked& asked) override {
    if (asked.act == Act::Resume) turns_[asked.endpoint].count = 0;
  }
  void life(const Life&) override { turns_.clear(); }

  // What ended without a request had its turn.
  void on_disk(const Track* before, const OnDisk& record, const Request*) override {
    if (before != nullptr && record.by == By::Lane && !record.attempt) {
      turns_[record.endpoint].count = 0;
    }
  }

 private:
  // How often the endpoint took one kind while the other waited.
  struct Turns {
    bool is_retry = false;
    int count = 0;
    MonoTime since{};  // When it was none.
    MonoTime faulted_at = MonoTime(-figures::kFaultWaitMax);
  };

  // Fresh and retry are taken in turn. Loads may change the order of what is in flight together.
  void take_turn(const Track& track, const Request& request) {
    const EndpointId endpoint = request.sent.endpoint;
    const bool is_retry = track.on_disk.state == "retrying";
    Turns& turns = turns_[endpoint];
    const MonoTime before = request.begun.mono - request.sent.loading - settings().slack;
    if (std::exchange(turns.is_retry, is_retry) != is_retry) turns.count = 0;
    // A probe is the oldest that is due. What the store failed to load had its turn as well. What a
    // fault of ours has ended is put off, and goes before what has not been loaded yet.
    const LaneModel* const lane = lanes().lane(endpoint);
    const bool is_probe = lane != nullptr && lane->circuit.may_be_open();
    const bool is_put_off = turns.faulted_at + figures::kFaultWaitMax >= now();
    if (is_probe || is_put_off || scene().store_back_at() >= before ||
        !waits(endpoint, !is_retry, before)) {
      turns.count = 0;
      return;
    }
    if (turns.count == 0) turns.since = now();
    // What is let go in turn, and has its payload to be loaded, is seen later.
    const Duration unseen = settings().loading + settings().lateness;
    const int most = 1 + (lane == nullptr ? figures::kMaxInFlight : lane->limit.largest());
    if (++turns.count <= most || now() - turns.since <= unseen) return;
    turns.since = now();
    accuse(Rule::Unfair, request.delivery(),
           fmt::format("the {}th {} in a row while {} waits", turns.count,
                       is_retry ? "retry" : "first attempt",
                       is_retry ? "a first attempt" : "a retry"));
  }

  // Whether a delivery of that kind has been due, and neither in flight nor written since.
  bool waits(EndpointId endpoint, bool is_retry, MonoTime since) const {
    for (const auto& [due_at, message] : scene().waiting(endpoint)) {
      const Track& track = *scene().track({endpoint, message});
      if (scene().clocks().latest(due_at, track.due_since) > since) return false;
      const bool is_kind = (track.on_disk.state == "retrying") == is_retry;
      const bool is_free = !track.is_in_flight() && track.written.mono <= since;
      if (is_kind && is_free && !has_begun_since(track, since)) return true;
    }
    return false;
  }

  static bool has_begun_since(const Track& track, MonoTime since) {
    return !track.requests.empty() && track.requests.back()->begun.mono >= since;
  }

  std::map<EndpointId, Turns> turns_;
};

}  // namespace

std::unique_ptr<Accuser> unfair(Bench bench) { return std::make_unique<Unfair>(bench); }

}  // namespace petrel::sim::judge
