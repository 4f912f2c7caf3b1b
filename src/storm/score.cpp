#include "storm/score.h"

#include <string_view>
#include <tuple>

namespace petrel::storm {
namespace {

void write(std::string_view name, const std::optional<Duration>& time, JsonWriter& json) {
  json.key(name);
  if (time) {
    json.value(whole_milliseconds(*time));
  } else {
    json.null();
  }
}

auto rank(const Score& score) {
  return std::tuple(score.crashes, score.lost(), score.drained_after.value_or(Duration::max()),
                    score.wasted);
}

}  // namespace

bool is_better(const Score& one, const Score& other) { return rank(one) < rank(other); }

void write_score(const Score& score, JsonWriter& json) {
  json.begin_object();
  json.field("delivered", score.delivered);
  json.field("dead", score.dead);
  json.field("unfinished", score.unfinished);
  json.field("attempts", score.attempts);
  json.field("wastedAttempts", score.wasted);
  json.field("peakPerSecond", score.peak_per_second);
  json.field("crashes", score.crashes);
  write("drainedAfterMs", score.drained_after, json);
  write("delayP50Ms", score.delay_p50, json);
  write("delayP99Ms", score.delay_p99, json);
  write("neighbourP99Ms", score.neighbour_p99, json);
  write("neighbourMaxMs", score.neighbour_max, json);
  json.field("paused", score.is_paused);
  json.end_object();
}

}  // namespace petrel::storm
