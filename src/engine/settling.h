// Settling turns the end of an attempt into what is recorded: pure steps between the transport's
// result, the policy's decision and the store's settlement.
//
// Give-up times are kept on a clock of their own, which stands still while the endpoint is switched
// off (paused or disabled): the wall clock, less all the time that it was off so far. So a pause
// costs its deliveries nothing and rewrites none of them.
//
// Thread: any.

#pragma once

#include <optional>
#include <string>

#include "base/ksuid.h"
#include "base/time.h"
#include "engine/now.h"
#include "lane/lane.h"
#include "model/attempt.h"
#include "model/settlement.h"
#include "policy/decision.h"

namespace petrel::engine {

// The result as the policy wants to know it.
policy::AttemptEnd attempt_end(const model::AttemptResult& result, WallTime started_at,
                               WallTime ended_at);

// The result as the lane wants to know it.
lane::Lane::AttemptReport report_of(const policy::Decision& decision, const policy::AttemptEnd& end,
                                    const Now& now);

// policy::decide() for a delivery of an endpoint that was switched off for `held_total` so far.
policy::Decision decide_unheld(const policy::RetryPolicy& policy, policy::Progress before,
                               const policy::AttemptEnd& end, Duration held_total, Random& random);

struct AttemptContext {
  const model::Delivery& delivery;  // As it was before.
  const std::string& url;
  WallTime started_at;
  WallTime ended_at;
  std::optional<Duration> retry_after = std::nullopt;  // What the response asked for.
};

// The record of the attempt and the delivery as it is now.
//
// The times and the id that are recorded only ever grow from attempt to attempt of a delivery, also
// when the wall clock was set back between them.
//
// REQUIRES: the decision is not NotSpent.
model::Settlement settlement_of(const AttemptContext& context, const policy::Decision& decision,
                                model::AttemptResult result, KsuidMaker& ids);

// The delivery as it is once its give-up time is set, by a try that began at `started_at` on the
// clock of give-up times and spent nothing. Empty if it has one already.
std::optional<model::Settlement> give_up_begun(const model::Delivery& delivery,
                                               const policy::RetryPolicy& policy,
                                               WallTime started_at);

// `now` is on the clock of give-up times.
bool has_expired(const model::Delivery& delivery, WallTime now);

// The end of a delivery without another attempt: its time ran out while it waited, or it was
// cancelled.
model::Settlement ending_of(const model::Delivery& delivery, policy::DeadReason reason,
                            WallTime now);

}  // namespace petrel::engine
