// StderrLog writes the log to standard error, from a thread of its own: whoever tells it something
// goes on at once, whatever becomes of the line.
//
//   tell() ─▶ limit per kind ─▶ form ─▶ queue of kWaitingMax lines ─▶ `log` thread ─▶ stderr
//
// A pipe that nobody reads, a terminal that was stopped and a disk that is full cost no more than
// lines. If the queue is full, its oldest line makes room; what was dropped is counted, and said in
// a line once lines go out again. What a kind had too much of is said when its span is over.
//
// Thread: safe; look() on one thread at a time.

#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "log/limiter.h"
#include "log/log.h"
#include "log/text_form.h"

namespace petrel::app {

enum class LogFormat : std::uint8_t { Text, Json };

class StderrLog final : public log::Log {
 public:
  struct Settings {
    log::Level level = log::Level::Info;
    LogFormat format = LogFormat::Text;
    log::Paint paint = log::Paint::None;  // Of text.
    int descriptor = 2;                   // Which stays open for as long as the log.
  };

  // Lines; no more than 8 MiB, as each has log::kLineBytesMax at most.
  static constexpr std::size_t kWaitingMax = 2048;

  // For how long its end waits for a stderr that takes nothing, and a moment more.
  static constexpr Duration kCloseMax = std::chrono::seconds(2);

  // `clock` outlives it.
  StderrLog(const Settings& settings, const Clock& clock);

  // Writes what waits, for at most kCloseMax. REQUIRES: nobody tells it anything any more.
  ~StderrLog() override;

  // Says what was left out and what was dropped, if that can be said by now. To be called every
  // second or so.
  void look();

  // Lines that stderr did not take, since the start.
  std::uint64_t dropped() const;

  // Lines that were too many of their kind, since the start.
  std::uint64_t left_out() const { return left_out_; }

 private:
  class Queue;

  bool admits(log::Kind kind) override;
  void write(log::Kind kind, log::Words words) override;
  void say_left_out(const std::vector<log::Limiter::LeftOut>& left_out);
  void say_dropped();

  const Settings settings_;
  const Clock& clock_;
  Guarded<log::Limiter> limiter_;
  std::atomic<std::uint64_t> left_out_ = 0;
  std::uint64_t dropped_said_ = 0;
  std::unique_ptr<Queue> queue_;
};

}  // namespace petrel::app
