#include <fmt/format.h>

#include "sim/judge/accusers.h"
#include "sim/judge/questions.h"
#include "sim/judge/verdict.h"

namespace petrel::sim::judge {
namespace {

class Repeated final : public Accuser {
 public:
  using Accuser::Accuser;

  void requested(const Request& request) override {
    const Track* const track = scene().track(request.delivery());
    if (track == nullptr) return;
    if (!track->is_live() && track->on_disk.by == By::Lane) {
      return accuse(Rule::Repeated, request.delivery(),
                    fmt::format("sent although it is on disk as {}", track->on_disk.state));
    }
    for (std::size_t i = 0; i < track->requests.size(); ++i) {
      const Request& earlier = *track->requests[i];
      if (&earlier != &request) check(earlier, request, i >= track->budget_from);
    }
  }

 private:
  void check(const Request& earlier, const Request& request, bool is_of_this_budget) {
    const bool is_same_life = earlier.sent.life == request.sent.life;
    if (earlier.is_in_flight() && is_same_life) {
      return accuse(Rule::Repeated, request.delivery(), "on the wire twice at once");
    }
    if (!earlier.reply || !is_of_this_budget) return;
    const bool is_settled = earlier.is_recorded || is_our_fault(earlier.reply->kind);
    if (!is_settled && is_same_life) {
      return accuse(Rule::Repeated, request.delivery(),
                    "sent again before its last outcome is on disk");
    }
    if (!is_success_by_all(scene(), earlier)) return;
    // A death forgets a success that was not on disk; what is on disk it does not.
    if (!is_same_life && !earlier.is_recorded && !scene().was_stopped(earlier.sent.life)) return;
    accuse(Rule::Repeated, request.delivery(),
           fmt::format("sent again {} ms after a success that no crash explains",
                       whole_milliseconds(request.begun.mono - earlier.replied.mono)));
  }
};

}  // namespace

std::unique_ptr<Accuser> repeated(Bench bench) { return std::make_unique<Repeated>(bench); }

}  // namespace petrel::sim::judge
