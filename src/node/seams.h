// Seams are where a node touches the world: the real one in production, an invented one in a
// simulation. All of them outlive the node.
//
// Thread: as each says.

#pragma once

#include <vector>

#include "base/blocking_pool.h"
#include "base/clock.h"
#include "base/loop.h"
#include "base/secure_random.h"
#include "engine/in_flight_note.h"
#include "engine/transport.h"
#include "log/log.h"
#include "metric/metrics.h"
#include "store/browse.h"
#include "store/catalogue.h"
#include "store/store.h"

namespace petrel::node {

struct Seams {
  const Clock& clock;
  SecureRandom& random;
  store::Store& store;
  store::Browse& browse;
  store::Catalogue& catalogue;  // Empty when the node starts, which fills it.
  BlockingPool& pool;
  metric::Metrics& metrics;
  engine::InFlightNote& note;
  log::Log& log;
};

struct ShardSeams {
  Loop& loop;
  engine::Transport& transport;
};

struct NodeLoops {
  Loop& control;  // Changes, tasks, stopping.
  std::vector<ShardSeams> shards;
};

}  // namespace petrel::node
