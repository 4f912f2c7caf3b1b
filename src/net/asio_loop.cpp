#include "net/asio_loop.h"

#include <cstdint>
#include <future>
#include <memory>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <pthread.h>

namespace petrel::net {
namespace {

class AsioTimer final : public LoopTimer {
 public:
  AsioTimer(boost::asio::io_context& context, const Clock& clock)
      : clock_(clock), timer_(context) {}

  void set(MonoTime at, Function<void()> action) override {
    timer_.expires_after(at - clock_.mono());
    timer_.async_wait([action = std::move(action), round = ++*round_,
                       current = std::weak_ptr(round_)](const boost::system::error_code& error) {
      // A moment that had come already is not called off by Asio: its handler is queued, and finds
      // no error.
      const auto latest = current.lock();
      if (!error && latest && *latest == round) action();
    });
  }

  void cancel() override {
    ++*round_;
    timer_.cancel();
  }

 private:
  const Clock& clock_;
  boost::asio::steady_timer timer_;
  const std::shared_ptr<std::uint64_t> round_ = std::make_shared<std::uint64_t>(0);
};

}  // namespace

AsioLoop::AsioLoop(std::string name, const Clock& clock)
    : clock_(clock), work_(boost::asio::make_work_guard(context_)) {
  thread_ = std::thread([this, name = std::move(name)] {
    pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
    context_.run();
  });
}

AsioLoop::~AsioLoop() { stop(); }

void AsioLoop::post(Function<void()> action) { boost::asio::post(context_, std::move(action)); }

std::unique_ptr<LoopTimer> AsioLoop::make_timer() {
  return std::make_unique<AsioTimer>(context_, clock_);
}

void AsioLoop::run_and_wait(const std::function<void()>& action) {
  std::promise<void> done;
  post([&] {
    action();
    done.set_value();
  });
  done.get_future().wait();
}

void AsioLoop::stop() {
  work_.reset();
  context_.stop();
  if (thread_.joinable()) thread_.join();
}

}  // namespace petrel::net
