#include "app/pulse.h"

#include <cstdio>

#include <fmt/format.h>

namespace petrel::app {

Pulse::Pulse(Loop& loop, const Clock& clock, Heartbeats& beats, std::size_t index)
    : clock_(clock), beats_(beats), index_(index), timer_(loop.make_timer()) {
  beat();
}

void Pulse::beat() {
  const MonoTime now = clock_.mono();
  beats_.beat(index_, now);
  for (const std::string& sentence : beats_.changes(now)) {
    fmt::print(stderr, "petrel: {}\n", sentence);
  }
  timer_->set(now + Heartbeats::kInterval, [this] { beat(); });
}

}  // namespace petrel::app
