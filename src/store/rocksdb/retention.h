// Retention takes out what is older than the retention period while RocksDB compacts its files, so
// that nothing is ever deleted row by row.
//
//   attempt, attempt_by_endpoint   once the attempt's id is too old
//   delivery, dead                 once the message's id is too old and the delivery has ended
//   message, payload               once the message's id is too old and no delivery of it is live
//   uid                            event ids only, with the message that has them
//   idempotency, revoked           once it has expired
//   tally                          with the hour, or the day of messages, that it is of
//
// A payload that has its own expiry loses its content then, and its record with the message.
//
// A delivery can be live for longer than any period (its endpoint may be paused for a year), so age
// alone never decides over a message: the filter asks for each one that is old enough, which is
// once in its life. While the store opens or closes there is nobody to ask, and everything stays.
//
// Thread: safe.

#pragma once

#include <functional>
#include <memory>
#include <shared_mutex>

#include <rocksdb/compaction_filter.h>

#include "base/clock.h"
#include "base/id.h"
#include "store/rocksdb/schema.h"

namespace petrel::store {

// Through it a filter asks whether a message is live, for as long as there is somebody to ask.
class LivenessDoor {
 public:
  using Ask = std::function<bool(ApplicationId, MessageId)>;

  void open(Ask ask);
  void close();

  // True if nobody can say.
  bool is_live(ApplicationId application, MessageId message) const;

 private:
  mutable std::shared_mutex mutex_;
  Ask ask_;
};

struct RetentionSettings {
  Family family;
  Duration retention;
};

// Null if the family keeps everything.
std::shared_ptr<rocksdb::CompactionFilterFactory> make_retention(
    const RetentionSettings& settings, const Clock& clock,
    std::shared_ptr<const LivenessDoor> liveness);

}  // namespace petrel::store
