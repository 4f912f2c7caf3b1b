#include "sim/sim_loop.h"

#include <optional>
#include <utility>

namespace petrel::sim {

// Keeps one event in the world for many settings: a timer that is moved further away lets the old
// event come, and only then plans the next one.
class SimLoop::Timer final : public LoopTimer {
 public:
  explicit Timer(SimLoop& loop) : state_(std::make_shared<State>(loop)) {}
  ~Timer() override { cancel(); }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  void set(MonoTime at, Function<void()> action) override {
    const int every = state_->defects.forget_every;
    if (every > 0 && ++state_->settings % every == 0) return cancel();
    const bool is_far = at - state_->world.now() >= state_->defects.far;
    state_->due = at + state_->defects.lag + (is_far ? state_->defects.far_lag : Duration::zero());
    state_->action = std::move(action);
    plan(state_);
  }

  void cancel() override {
    state_->due.reset();
    state_->action = nullptr;
  }

 private:
  struct State {
    explicit State(SimLoop& loop) : world(loop.world_), defects(loop.defects_), life(loop.life_) {}

    World& world;
    TimerDefects defects;
    std::shared_ptr<Life> life;
    int settings = 0;
    std::optional<MonoTime> due;
    std::optional<MonoTime> planned;  // The first event in the world that is for us.
    Function<void()> action;
  };

  static void plan(const std::shared_ptr<State>& state) {
    if (state->planned && *state->planned <= *state->due) return;
    const MonoTime at = std::max(*state->due, state->world.now());
    state->planned = at;
    state->world.at(at, [state, at] {
      if (state->planned == at) state->planned.reset();
      if (!state->due) return;
      if (*state->due > at) return plan(state);
      state->due.reset();
      ++state->life->turns;
      std::exchange(state->action, nullptr)();
    });
  }

  std::shared_ptr<State> state_;  // Shared with the events in the world.
};

void SimLoop::post(Function<void()> action) {
  world_.at(world_.now(), [life = life_, action = std::move(action)] {
    if (life->is_over) return;
    ++life->turns;
    action();
  });
}

void SimLoop::poll(World& world, const std::shared_ptr<Life>& life, Duration every) {
  world.after(every, [&world, life, every] {
    if (life->is_over) return;
    ++life->turns;
    poll(world, life, every);
  });
}

std::unique_ptr<LoopTimer> SimLoop::make_timer() { return std::make_unique<Timer>(*this); }

}  // namespace petrel::sim
