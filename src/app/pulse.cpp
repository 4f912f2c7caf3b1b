#include "app/pulse.h"

namespace petrel::app {

Pulse::Pulse(const Parts& parts) : parts_(parts), timer_(parts.loop.make_timer()) { beat(); }

void Pulse::beat() {
  const MonoTime now = parts_.clock.mono();
  parts_.beats.beat(parts_.beat, now);
  for (const std::string& sentence : parts_.beats.changes(now)) {
    parts_.log.tell(log::Kind::ServerLoop, [&] { return log::Words{sentence}; });
  }
  timer_->set(now + Heartbeats::kInterval, [this] { beat(); });
}

}  // namespace petrel::app
