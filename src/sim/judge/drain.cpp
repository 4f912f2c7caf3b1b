#include <optional>

#include <fmt/format.h>

#include "base/duration_text.h"
#include "sim/judge/accusers.h"
#include "sim/judge/verdict.h"

namespace petrel::sim::judge {
namespace {

// A drain ends within its grace and the last commit, starts nothing, and costs no attempt: what has
// ended is on record before the process goes.
class Drain final : public Accuser {
 public:
  using Accuser::Accuser;

  void life(const Life& life) override {
    if (life.event == Life::Event::Stopping) {
      stop_by_ = now() + life.grace + settings().last_commit;
      return;
    }
    const auto stop_by = std::exchange(stop_by_, std::nullopt);
    if (life.event != Life::Event::Stopped) return;
    if (stop_by && now() > *stop_by) {
      accuse(Rule::BadStop, fmt::format("it took {} longer than its grace and the last commit",
                                        to_words(now() - *stop_by)));
    }
    if (!scene().was_stopped(life.life)) return;
    for (const auto& [number, request] : scene().requests()) {
      const bool is_open = request.reply && !is_our_fault(request.reply->kind) &&
                           !request.is_recorded && request.sent.life == life.life;
      if (is_open) {
        accuse(Rule::BadStop, request.delivery(), "stopped before its outcome was on disk");
      }
    }
  }

  void passed(const Moment& now) override {
    if (!stop_by_ || now.mono <= *stop_by_ + settings().slack || scene().is_store_away()) return;
    stop_by_.reset();
    accuse(Rule::BadStop, "it was asked to stop and does not");
  }

  void requested(const Request& request) override {
    if (!stop_by_ || !scene().is_stopping()) return;
    // What a late loop let go before it heard of it, or what waited for its payload, goes.
    if (now() - request.sent.loading <= stopping_at() + settings().lateness) return;
    accuse(Rule::BadStop, request.delivery(), "sent while the process was stopping");
  }

 private:
  MonoTime stopping_at() const { return scene().stopping_since(); }

  std::optional<MonoTime> stop_by_;
};

}  // namespace

std::unique_ptr<Accuser> drain(Bench bench) { return std::make_unique<Drain>(bench); }

}  // namespace petrel::sim::judge
