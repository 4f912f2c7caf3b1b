// KeptLane is the state of a lane as it is kept over a restart, and its bytes.
//
// It goes to disk with the settlement that changed it (Settlement::lane), so a circuit that a
// failure opened is open after a crash whenever that failure is on record.
//
// Thread: any. Values.

#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "lane/lane.h"

namespace petrel::store {

struct KeptLane {
  lane::Lane::Snapshot snapshot;
  WallTime kept_at;

  friend bool operator==(const KeptLane&, const KeptLane&) = default;
};

// Appends to `out`.
void encode(const KeptLane& kept, std::string& out);

Result<KeptLane> decode_kept_lane(std::string_view bytes);

}  // namespace petrel::store
