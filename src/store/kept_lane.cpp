#include "store/kept_lane.h"

#include <optional>

#include "store/bytes.h"

namespace petrel::store {
namespace {

using lane::CircuitBreaker;
using lane::Rate;

constexpr std::uint8_t kVersion = 2;

// Of a server that counted the openings of a circuit instead of the time since the first one, and
// knew neither the last success nor the outage.
constexpr std::uint8_t kVersionOfCountedOpenings = 1;

constexpr Duration kSpanMax = std::chrono::days(3660);

void write_rate(ByteWriter& to, const Rate& rate) {
  to.signed_number(rate.count()).duration(rate.period());
}

Rate read_rate(ByteReader& in) {
  const std::int64_t count = in.signed_number();
  const Duration period = in.duration();
  const bool is_rate = count >= 1 && period > Duration::zero() && period <= Rate::kPeriodMax &&
                       count <= period.count();
  if (is_rate) return Rate::of(count, period);
  in.fail();
  return Rate::per_second(1);
}

// How long something was ago, or still lasts.
Duration read_span(ByteReader& in) {
  const Duration span = in.duration();
  if (span >= Duration::zero() && span <= kSpanMax) return span;
  in.fail();
  return {};
}

void write_optional_span(ByteWriter& to, const std::optional<Duration>& span) {
  to.flag(span.has_value());
  if (span) to.duration(*span);
}

std::optional<Duration> read_optional_span(ByteReader& in) {
  if (!in.flag()) return std::nullopt;
  return read_span(in);
}

std::int32_t read_count(ByteReader& in, std::int32_t least) {
  const std::int32_t count = in.integer();
  if (count < least) in.fail();
  return count;
}

void write_breaker(ByteWriter& to, const CircuitBreaker::Snapshot& breaker) {
  to.byte(static_cast<std::uint8_t>(breaker.state)).duration(breaker.since_ago).text(breaker.why);
  write_optional_span(to, breaker.first_opened_ago);
  to.duration(breaker.open_left).flag(breaker.former_rate.has_value());
  if (breaker.former_rate) write_rate(to, *breaker.former_rate);
  to.signed_number(breaker.tally.streak).number(breaker.tally.exhausted_ago.size());
  for (const Duration ago : breaker.tally.exhausted_ago) to.duration(ago);
  write_optional_span(to, breaker.tally.last_success_ago);
}

// With counted openings all that is known is when the state last changed: the first opening was
// then, or before.
std::optional<Duration> read_first_opened(ByteReader& in, std::uint8_t version, Duration since) {
  if (version >= kVersion) return read_optional_span(in);
  if (read_count(in, 0) == 0) return std::nullopt;
  return since;
}

CircuitBreaker::Snapshot read_breaker(ByteReader& in, std::uint8_t version) {
  CircuitBreaker::Snapshot breaker;
  constexpr auto kLast = static_cast<std::uint8_t>(CircuitBreaker::State::HalfOpen);
  breaker.state = static_cast<CircuitBreaker::State>(in.choice(kLast));
  breaker.since_ago = read_span(in);
  breaker.why = in.string();
  breaker.first_opened_ago = read_first_opened(in, version, breaker.since_ago);
  breaker.open_left = read_span(in);
  if (in.flag()) breaker.former_rate = read_rate(in);
  breaker.tally.streak = read_count(in, 0);
  for (std::size_t left = in.count(); left > 0; --left) {
    breaker.tally.exhausted_ago.push_back(read_span(in));
  }
  if (version >= kVersion) breaker.tally.last_success_ago = read_optional_span(in);
  return breaker;
}

}  // namespace

void encode(const KeptLane& kept, std::string& out) {
  ByteWriter to(out);
  to.byte(kVersion).time(kept.kept_at);
  write_breaker(to, kept.snapshot.breaker);
  to.flag(kept.snapshot.ramp.is_active);
  write_rate(to, kept.snapshot.ramp.rate);
  to.signed_number(kept.snapshot.ramp.in_flight_max).duration(kept.snapshot.hold_left);
  to.signed_number(kept.snapshot.in_flight_limit).signed_number(kept.snapshot.permanent_streak);
  to.flag(kept.snapshot.outage.has_value());
  if (!kept.snapshot.outage) return;
  to.duration(kept.snapshot.outage->began_ago).duration(kept.snapshot.outage->ended_ago);
}

Result<KeptLane> decode_kept_lane(std::string_view bytes) {
  ByteReader in(bytes);
  const std::uint8_t version = in.byte();
  if (version != kVersion && version != kVersionOfCountedOpenings) {
    return corrupt("the state of a lane has a form that is not known");
  }
  KeptLane kept;
  kept.kept_at = in.time();
  kept.snapshot.breaker = read_breaker(in, version);
  kept.snapshot.ramp.is_active = in.flag();
  kept.snapshot.ramp.rate = read_rate(in);
  kept.snapshot.ramp.in_flight_max = read_count(in, 1);
  kept.snapshot.hold_left = read_span(in);
  kept.snapshot.in_flight_limit = read_count(in, 1);
  kept.snapshot.permanent_streak = read_count(in, 0);
  if (version >= kVersion && in.flag()) {
    const Duration began_ago = read_span(in);
    kept.snapshot.outage = {.began_ago = began_ago, .ended_ago = read_span(in)};
  }
  if (!in.ok()) return corrupt("the state of a lane cannot be read");
  return kept;
}

}  // namespace petrel::store
