#include "app/stderr_log.h"

#include <cerrno>
#include <future>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <spdlog/async_logger.h>
#include <spdlog/details/null_mutex.h>
#include <spdlog/details/thread_pool.h>
#include <spdlog/sinks/base_sink.h>
#include <unistd.h>

#include "log/json_form.h"

namespace petrel::app {
namespace {

using log::Field;
using log::Kind;
using log::Words;

// How often a thread that waits for stderr looks whether it still should.
constexpr int kPollMs = 100;

// Once it has been told not to wait any more.
constexpr std::chrono::seconds kGiveUp(1);

// The end of the road, on the `log` thread. It waits where a plain write would, but can be told to
// give up.
class Descriptor final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}

  // `done` comes when everything from before was written or dropped. On any thread.
  std::future<void> expect_flush() {
    const std::lock_guard lock(mutex_flushed_);
    flushed_.emplace_back();
    return flushed_.back().get_future();
  }

  void give_up() { gives_up_ = true; }

  std::uint64_t failed() const { return failed_; }
  bool is_failing() const { return is_failing_; }

 private:
  void sink_it_(const spdlog::details::log_msg& msg) override {
    const std::string_view line(msg.payload.data(), msg.payload.size());
    is_failing_ = !write_all(line);
    if (is_failing_) ++failed_;
  }

  void flush_() override {
    const std::lock_guard lock(mutex_flushed_);
    for (std::promise<void>& each : flushed_) each.set_value();
    flushed_.clear();
  }

  // What is left of a line that was cut off by a full disk ends where the next one begins.
  bool write_all(std::string_view line) {
    if (is_torn_ && write_some("\n") != 1) return false;
    is_torn_ = false;
    while (!line.empty()) {
      const ssize_t written = write_some(line);
      if (written < 0) return false;
      line.remove_prefix(static_cast<std::size_t>(written));
      is_torn_ = !line.empty();
    }
    return true;
  }

  ssize_t write_some(std::string_view bytes) {
    while (wait_until_ready()) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written >= 0 || (errno != EINTR && errno != EAGAIN)) return written;
    }
    return -1;
  }

  bool wait_until_ready() const {
    while (!gives_up_) {
      pollfd one{.fd = descriptor_, .events = POLLOUT, .revents = 0};
      const int ready = ::poll(&one, 1, kPollMs);
      if (ready > 0) return true;  // If it is broken, the write says so.
      if (ready < 0 && errno != EINTR) return false;
    }
    return false;
  }

  const int descriptor_;
  bool is_torn_ = false;
  std::atomic<bool> gives_up_ = false;
  std::atomic<bool> is_failing_ = false;
  std::atomic<std::uint64_t> failed_ = 0;
  std::mutex mutex_flushed_;
  std::vector<std::promise<void>> flushed_;
};

}  // namespace

// The library's queue and thread, with the descriptor at their end.
class StderrLog::Queue {
 public:
  explicit Queue(int descriptor)
      : sink_(std::make_shared<Descriptor>(descriptor)),
        pool_(std::make_shared<spdlog::details::thread_pool>(
            kWaitingMax, 1, [] { pthread_setname_np(pthread_self(), "log"); })),
        logger_(std::make_shared<spdlog::async_logger>(
            "petrel", sink_, pool_, spdlog::async_overflow_policy::overrun_oldest)) {
    // Its own word for a fault would go to stderr, and wait for it.
    logger_->set_error_handler([](const std::string&) {});
    logger_->set_level(spdlog::level::trace);
    logger_->flush_on(spdlog::level::off);
  }

  // If stderr holds the thread even now, the thread keeps what it uses: the process ends anyway.
  ~Queue() {
    if (is_written_within(kCloseMax)) return;
    sink_->give_up();
    if (is_written_within(kGiveUp)) return;
    new Kept{pool_, logger_, sink_};
  }

  void push(std::string_view line) {
    logger_->log(spdlog::level::info, spdlog::string_view_t(line.data(), line.size()));
  }

  std::uint64_t dropped() const { return pool_->overrun_counter() + sink_->failed(); }

  // Lines do go out.
  bool is_flowing() const { return !sink_->is_failing() && pool_->queue_size() < kWaitingMax / 2; }

 private:
  struct Kept {
    std::shared_ptr<spdlog::details::thread_pool> pool;
    std::shared_ptr<spdlog::async_logger> logger;
    std::shared_ptr<Descriptor> sink;
  };

  bool is_written_within(Duration most) {
    const std::future<void> flushed = sink_->expect_flush();
    logger_->flush();
    return flushed.wait_for(most) == std::future_status::ready;
  }

  // The thread ends before what it uses.
  const std::shared_ptr<Descriptor> sink_;                    // Shared with the thread.
  const std::shared_ptr<spdlog::details::thread_pool> pool_;  // Likewise.
  const std::shared_ptr<spdlog::async_logger> logger_;        // Likewise.
};

StderrLog::StderrLog(const Settings& settings, const Clock& clock)
    : Log(settings.level),
      settings_(settings),
      clock_(clock),
      queue_(std::make_unique<Queue>(settings.descriptor)) {}

StderrLog::~StderrLog() {
  say_left_out(limiter_.with([](log::Limiter& limiter) { return limiter.take_all_left_out(); }));
  say_dropped();
}

bool StderrLog::admits(Kind kind) {
  if (spec_of(kind).lines_max == log::kAll) return true;
  const MonoTime now = clock_.mono();
  const bool is_admitted =
      limiter_.with([&](log::Limiter& limiter) { return limiter.admit(kind, now); });
  if (!is_admitted) ++left_out_;
  return is_admitted;
}

void StderrLog::write(Kind kind, Words words) {
  const log::Line line{clock_.wall(), kind, std::move(words)};
  queue_->push(settings_.format == LogFormat::Json ? to_json(line)
                                                   : to_text(line, settings_.paint));
}

void StderrLog::look() {
  const MonoTime now = clock_.mono();
  say_left_out(limiter_.with([&](log::Limiter& limiter) { return limiter.take_left_out(now); }));
  say_dropped();
}

std::uint64_t StderrLog::dropped() const { return queue_->dropped(); }

void StderrLog::say_left_out(const std::vector<log::Limiter::LeftOut>& left_out) {
  for (const auto& [kind, lines] : left_out) {
    tell(Kind::LogLeftOut, [&, name = name_of(kind), count = lines] {
      return Words{fmt::format("{} more lines of {} were left out", count, name),
                   {{"of", name}, {"lines", count}}};
    });
  }
}

void StderrLog::say_dropped() {
  const std::uint64_t dropped = queue_->dropped();
  if (dropped == dropped_said_ || !queue_->is_flowing()) return;
  const std::uint64_t lines = dropped - std::exchange(dropped_said_, dropped);
  tell(Kind::LogDropped, [&] {
    return Words{fmt::format("{} lines were dropped, as stderr did not take them", lines),
                 {{"lines", lines}}};
  });
}

}  // namespace petrel::app
