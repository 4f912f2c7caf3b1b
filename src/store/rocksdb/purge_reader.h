// The reading half of a purge: what a step finds, without holding up the thread that commits.
//
// What it found may have changed by the time it is committed; Commit::purge() looks whether it has.
//
// Thread: any.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/retention.h"
#include "store/encoding.h"
#include "store/purge.h"
#include "store/rocksdb/database.h"
#include "store/rocksdb/purge_record.h"

namespace petrel::store {

// One message that was looked at.
struct PurgeLook {
  std::string record;  // Its bytes.
  StoredMessage stored;
  std::uint64_t payload_bytes = 0;  // Of the payload, if there is one.
  std::vector<std::pair<EndpointId, DeliveryHead>> deliveries;

  // Also whom they were for; empty if the record cannot be read.
  std::vector<std::pair<AttemptId, std::optional<EndpointId>>> attempts;
  model::Disposal over;  // Places of it are those of these lists.
};

struct PurgeBatch {
  std::vector<PurgeLook> looks;
  std::vector<std::string> again_done;                         // Keys of looks that were due.
  std::vector<std::pair<ApplicationId, MessageId>> damaged;    // They cannot be looked at.
  std::vector<std::pair<ApplicationId, PurgeCursor>> cursors;  // As they are then.
  std::optional<std::string> next;                             // As in Purged.
  WallTime now;

  bool is_empty() const {
    return looks.empty() && again_done.empty() && damaged.empty() && cursors.empty();
  }
};

Result<PurgeBatch> read_purge(Database& database, const PurgeOrder& order, WallTime now);

}  // namespace petrel::store
