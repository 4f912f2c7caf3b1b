#include <algorithm>

#include <fmt/format.h>

#include "base/duration_text.h"
#include "sim/judge/accusers.h"
#include "sim/judge/backoff_bounds.h"
#include "sim/judge/questions.h"
#include "sim/judge/verdict.h"

namespace petrel::sim::judge {
namespace {

// For what is lost when a percentage is cut to microseconds.
constexpr Duration kRounding = Duration(2);

class TooEarly final : public Accuser {
 public:
  using Accuser::Accuser;

  void requested(const Request& request) override {
    const LaneModel* const lane = lanes().lane(request.sent.endpoint);
    if (lane != nullptr && lane->hold.is_held_at(now(), settings().lateness)) {
      accuse(Rule::HoldBroken, request.delivery(),
             fmt::format("sent {} before the receiver wants anything",
                         to_words(lane->hold.surely_until() - now())));
    }
    const Track* const track = scene().track(request.delivery());
    if (track == nullptr || !track->is_live() || !was_early(scene(), *track, request).surely) {
      return;
    }
    // A probe may be the earliest that waits.
    if (lane != nullptr && lane->circuit.may_be_open()) return;
    accuse(Rule::TooEarly, request.delivery(),
           fmt::format("sent {} before it is due",
                       to_words(track->on_disk.due_at - request.begun.wall)));
  }

  void on_disk(const Track* before, const OnDisk& record, const Request* request) override {
    const bool goes_on = record.state == "pending" || record.state == "retrying";
    if (before == nullptr || request == nullptr || !goes_on || !is_as_it_began(*before, *request)) {
      return;
    }
    // A resend that came meanwhile makes it due at once.
    if (was_asked_since(scene(), Act::Resend, before->name, request->begun.mono)) return;
    const bool is_free = record.attempts == before->on_disk.attempts;
    const auto policies = policies_between(scene(), record.endpoint, request->replied.mono, now());
    const bool fits = std::any_of(policies.begin(), policies.end(), [&](const Policy& policy) {
      return is_free ? fits_free(policy, *before, record, *request)
                     : fits_backoff(policy, *before, record, *request);
    });
    if (fits) return;
    accuse(Rule::TooEarly, before->name,
           fmt::format("due {} us after failure {}, which the policy does not allow",
                       (record.due_at - request->replied.wall).count(), before->spent.size() + 1));
  }

 private:
  bool fits_backoff(const Policy& policy, const Track& before, const OnDisk& record,
                    const Request& request) const {
    const Failure failure{
        .number = static_cast<int>(before.spent.size()) + 1,
        .is_throttled = request.reply->kind == Reply::Answered && request.reply->status == 429,
        .wish = wish_of(*request.reply, request.replied.wall)};
    const DelayBounds bounds = delay_bounds(policy, failure);
    const WallTime ended = request.replied.wall;
    // A released attempt that fails leaves it due no earlier than before.
    const WallTime least =
        std::max(ended + bounds.shortest, before.released_from.value_or(WallTime::min()));
    const WallTime most = std::max(ended + bounds.longest + settings().lateness, least);
    return record.due_at >= least - kRounding && record.due_at <= most + kRounding;
  }

  // After a probe before its time it is due when it was, unless the receiver asks for more; one
  // whose endpoint the receiver disabled is due at once.
  bool fits_free(const Policy& policy, const Track& before, const OnDisk& record,
                 const Request& request) const {
    const auto wish = wish_of(*request.reply, request.replied.wall);
    const WallTime asked = request.replied.wall + granted(policy, wish);
    if (disables_endpoint(*request.reply)) return record.due_at >= asked;
    const WallTime least = std::max(before.on_disk.due_at, asked);
    return record.due_at >= least &&
           record.due_at <= std::max(before.on_disk.due_at, asked + settings().lateness);
  }
};

}  // namespace

std::unique_ptr<Accuser> too_early(Bench bench) { return std::make_unique<TooEarly>(bench); }

}  // namespace petrel::sim::judge
