#include "app/health_check.h"

#include <utility>

#include <fmt/format.h>

namespace petrel::app {
namespace {

// What the operator's log says in full may go on with a path or the words of a library.
std::string refusal(std::string_view why) {
  const std::string_view clause = why.substr(0, why.find(':'));
  const bool is_plain = !clause.empty() && clause.find('/') == std::string_view::npos;
  return is_plain ? fmt::format("the store takes no writes: {}", clause)
                  : "the store takes no writes";
}

api::ServerHealth health_of(const StoreState& state) {
  api::ServerHealth health;
  health.store_is_well = state.takes_writes;
  if (!state.takes_writes) {
    health.problems.push_back(refusal(state.why_not));
  }
  if (state.damage_total > 0) {
    health.problems.push_back(fmt::format("the store is damaged in {} {}: {}", state.damage_total,
                                          state.damage_total == 1 ? "place" : "places",
                                          fmt::join(state.damaged, ", ")));
  }
  return health;
}

}  // namespace

HealthCheck::HealthCheck(Loop& loop, const Clock& clock, const Heartbeats& beats, Prove prove,
                         Remarks remarks)
    : loop_(loop),
      clock_(clock),
      beats_(beats),
      prove_(std::move(prove)),
      remarks_(std::move(remarks)),
      timer_(loop.make_timer()) {}

void HealthCheck::ask(Done done) {
  waiting_.push_back(std::move(done));
  const MonoTime now = clock_.mono();
  if (well_at_ && now - *well_at_ < kFresh) return tell({});
  if (asked_at_) {
    if (now - *asked_at_ >= kPatience) give_up();
    return;
  }
  asked_at_ = now;
  timer_->set(now + kPatience, [this] { give_up(); });
  prove_([this](StoreState state) {
    loop_.post([this, state = std::move(state)] { answer(state); });
  });
}

void HealthCheck::answer(const StoreState& state) {
  asked_at_.reset();
  timer_->cancel();
  api::ServerHealth health = health_of(state);
  well_at_ = health.problems.empty() ? std::optional(clock_.mono()) : std::nullopt;
  tell(std::move(health));
}

void HealthCheck::give_up() {
  if (!asked_at_) return;  // It was answered while the timer went off.
  api::ServerHealth health;
  health.store_is_well = false;
  const auto quiet = std::chrono::floor<std::chrono::seconds>(clock_.mono() - *asked_at_);
  health.problems.push_back(fmt::format("the store has not answered for {} s", quiet.count()));
  tell(std::move(health));
}

void HealthCheck::tell(api::ServerHealth health) {
  for (std::string& sentence : beats_.late(clock_.mono())) {
    health.loops_are_well = false;
    health.problems.push_back(std::move(sentence));
  }
  if (remarks_) {
    for (std::string& sentence : remarks_()) health.problems.push_back(std::move(sentence));
  }
  for (const Done& done : std::exchange(waiting_, {})) done(health);
}

}  // namespace petrel::app
