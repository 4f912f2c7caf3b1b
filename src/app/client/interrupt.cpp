#include "app/client/interrupt.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/check.h"
#include "base/clock.h"

namespace petrel::app {
namespace {

std::atomic<int> noted_in = -1;

extern "C" void note_interrupt(int /*signal*/) {
  const int saved = errno;
  const char byte = 0;
  [[maybe_unused]] const ssize_t written = ::write(noted_in.load(), &byte, 1);
  errno = saved;
}

// The first one is noted; by then the default is back, so that the second one ends the process.
void on_signals(void (*act)(int)) {
  struct sigaction action {};
  action.sa_handler = act;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

Interrupt::Interrupt() {
  CHECK(noted_in.load() == -1);
  CHECK(::pipe2(pipe_, O_CLOEXEC | O_NONBLOCK) == 0);
  noted_in = pipe_[1];
  on_signals(note_interrupt);
}

Interrupt::~Interrupt() {
  on_signals(SIG_DFL);
  noted_in = -1;
  ::close(pipe_[0]);
  ::close(pipe_[1]);
}

bool Interrupt::came() const { return wait(Duration::zero()); }

bool Interrupt::wait(Duration at_most) const {
  const SystemClock clock;
  const MonoTime end = clock.mono() + at_most;
  while (true) {
    const Duration left = std::max(end - clock.mono(), Duration::zero());
    pollfd noted{.fd = pipe_[0], .events = POLLIN, .revents = 0};
    const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(left).count();
    const int ready =
        ::poll(&noted, 1, static_cast<int>(std::min<std::int64_t>(milliseconds, 60'000)));
    if (ready > 0) return true;
    if (ready == 0 && clock.mono() >= end) return false;
  }
}

}  // namespace petrel::app
