// Purge is how a store drops what is past its retention (model/retention.h), in steps that are
// small enough to go beside deliveries.
//
//   PurgeOrder order{.rules = rules};
//   do { order.from = store.purge(order)->next; … } while (order.from);     one sweep
//
// A step looks at messages whose shortest period is over, and drops in one commit what
// model::dispose() says of each; of a message with very many deliveries it may drop a part, and the
// rest in the next sweep. A sweep of steps comes by everything that is over when it begins, and by
// nothing that is over only later, so it ends however much comes in meanwhile. What has been looked
// at and stays is not looked at again before something of it can be over.
//
// A store may drop more at once where that is cheaper: a database can drop the partition of a day
// once the longest of all periods has passed since, having copied out of it what is live or kept.
//
// Thread: any. Values.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/id.h"
#include "base/time.h"
#include "model/retention.h"

namespace petrel::store {

struct RetentionRules {
  model::Retention others;
  std::unordered_map<ApplicationId, model::Retention> own = {};  // Applications with another one.

  const model::Retention& of(ApplicationId application) const {
    const auto found = own.find(application);
    return found == own.end() ? others : found->second;
  }
};

struct PurgeOrder {
  std::shared_ptr<const RetentionRules> rules;  // As they are when the step begins.

  // When the sweep began. Empty: now.
  std::optional<WallTime> begun_at = {};

  // Where the step before stopped: the store's own words, for the same store. Empty: a new sweep.
  std::optional<std::string> from = {};

  // About how much a step looks at: it ends at the message that reaches one of them.
  std::size_t messages_max = 128;
  std::size_t records_max = 1000;  // Deliveries and attempts.
};

// What is kept of an application, or of all of them.
struct KeptSizes {
  std::uint64_t messages = 0;
  std::uint64_t payloads = 0;  // Those that are not gone.
  std::uint64_t payload_bytes = 0;

  friend bool operator==(const KeptSizes&, const KeptSizes&) = default;
};

// What a step has dropped.
struct Purged {
  std::uint64_t messages = 0;
  std::uint64_t payloads = 0;  // With their messages or without.
  std::uint64_t payload_bytes = 0;
  std::uint64_t deliveries = 0;
  std::uint64_t dead_letters = 0;  // Of these deliveries.
  std::uint64_t attempts = 0;

  std::optional<std::string> next = {};  // Empty: the sweep is over.
  std::optional<KeptSizes> kept = {};    // Then: of all applications.

  bool is_anything() const { return messages + payloads + deliveries + attempts > 0; }
};

}  // namespace petrel::store
