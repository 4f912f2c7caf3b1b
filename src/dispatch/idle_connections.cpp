#include "dispatch/idle_connections.h"

#include <memory>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

namespace petrel::dispatch {

namespace asio = boost::asio;

IdleConnections::Shown& IdleConnections::join(asio::io_context& loop, Evict evict) {
  const std::lock_guard lock(mutex_);
  return pools_.emplace_back(loop, std::move(evict)).shown;
}

void IdleConnections::free_one(asio::io_context& asker, Freed freed) {
  const Pool* oldest = nullptr;
  MonoTime since = MonoTime::max();
  {
    const std::lock_guard lock(mutex_);
    for (const Pool& pool : pools_) {
      const MonoTime shown = pool.shown.oldest_since.load(std::memory_order_relaxed);
      if (shown >= since) continue;
      since = shown;
      oldest = &pool;
    }
  }
  const auto answer = [&asker, freed = std::move(freed)](net::DescriptorPlace place) {
    // Posted functions are copied, and a place cannot be.
    auto shared = std::make_shared<net::DescriptorPlace>(std::move(place));
    asio::post(asker, [freed, shared] { freed(std::move(*shared)); });
  };
  if (oldest == nullptr) return answer({});
  asio::post(oldest->loop, [answer, evict = oldest->evict] { answer(evict()); });
}

std::size_t IdleConnections::count() const {
  const std::lock_guard lock(mutex_);
  std::size_t sum = 0;
  for (const Pool& pool : pools_) sum += pool.shown.count.load(std::memory_order_relaxed);
  return sum;
}

}  // namespace petrel::dispatch
