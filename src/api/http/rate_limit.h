// RateLimit keeps each token to so many requests a second, in bursts of as many; and each address
// from which requests without a good one come.
//
//   10/s:   10 at once, then one every 100 ms; after a quiet second 10 at once again
//
// For each token it keeps one moment: when all that was used would have come back. It remembers
// the tokens that were used last, and forgets others; a token that is forgotten starts afresh.
//
// It knows tokens by a hash only, and reads no clock.
//
// Thread: safe. The loops share one, so that the limit is that of the server.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "base/time.h"

namespace petrel::api {

class RateLimit {
 public:
  static constexpr int kPerSecondMax = 1'000'000;

  // Tokens in memory: at most these, and at least half of them.
  static constexpr std::size_t kTokensMax = 100'000;

  // REQUIRES: 1 <= per_second <= kPerSecondMax.
  explicit RateLimit(int per_second, std::size_t tokens_max = kTokensMax);

  // Takes one request off what the token has left. If nothing is left it takes nothing, and says
  // how long to wait for the next one.
  std::optional<Duration> take(std::string_view token, MonoTime now);

  std::size_t tokens() const;

 private:
  using Nanoseconds = std::chrono::nanoseconds;
  using Moments = std::unordered_map<std::size_t, Nanoseconds>;

  Nanoseconds& moment_of(std::size_t token);

  const Nanoseconds interval_;
  const std::size_t generation_max_;

  // Two generations: when the young one is full it becomes the old one, and what is used again
  // moves over.
  mutable std::mutex mutex_;
  Moments young_;
  Moments old_;
};

}  // namespace petrel::api
