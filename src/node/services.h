// Services is what a node offers to the API of one of its loops. All of it outlives the API.
//
// Thread: confined to that loop, but for what says otherwise.

#pragma once

#include "base/blocking_pool.h"
#include "base/clock.h"
#include "base/loop.h"
#include "base/memory_budget.h"
#include "base/secure_random.h"
#include "intake/intake.h"
#include "log/log.h"
#include "metric/metrics.h"
#include "node/changes.h"
#include "node/delivery_actions.h"
#include "node/lane_directory.h"
#include "node/quarantine.h"
#include "node/revoked_tokens.h"
#include "node/task_waker.h"
#include "store/browse.h"
#include "store/catalogue.h"

namespace petrel::node {

struct Services {
  Loop& loop;
  const Clock& clock;
  SecureRandom& random;
  BlockingPool& pool;
  metric::Metrics& metrics;
  store::Browse& browse;
  const store::Catalogue& catalogue;
  MemoryBudget& memory;
  intake::Intake& intake;  // This loop's.
  Changes& changes;
  LaneDirectory& lanes;
  DeliveryActions& deliveries;
  Quarantine& quarantine;
  TaskWaker& tasks;
  const RevokedTokens& revoked;
  log::Log& log;
};

}  // namespace petrel::node
