#include "engine/resumption.h"

#include <chrono>
#include <utility>

#include "lane/lane.h"

namespace petrel::engine {
namespace {

// The longest deadline that an attempt can have: if anything was waiting when the endpoint was
// resumed, an attempt has ended by then and the lane is on record.
constexpr Duration kResumeRemembered = std::chrono::seconds(300);

}  // namespace

store::KeptLane resumed(std::optional<store::KeptLane> kept, WallTime now) {
  if (!kept) kept = store::KeptLane{lane::Lane({}, MonoTime{}).snapshot(MonoTime{}), now};
  if (kept->snapshot.ramp.is_active) return *kept;
  lane::Ramp ramp({}, MonoTime{});
  ramp.start(std::nullopt, MonoTime{});
  kept->snapshot.ramp = ramp.snapshot(MonoTime{});
  return *kept;
}

std::optional<store::KeptLane> with_ramp_of_resume(std::optional<store::KeptLane> kept,
                                                   const model::Endpoint& endpoint, WallTime now) {
  const bool was_off = endpoint.held.total > Duration::zero();
  if (!was_off || !endpoint.may_send()) return kept;
  if (now - endpoint.updated_at > kResumeRemembered) return kept;
  if (kept && kept->kept_at >= endpoint.updated_at) return kept;
  return resumed(std::move(kept), now);
}

}  // namespace petrel::engine
