// ChangeEvidence is what a set of changes does to deliveries, payloads and tasks, as somebody sees
// who looks at the disk before and after it was written.
//
//   const ChangeEvidence seen(platters, set, by);   before
//   seen.tell(platters, witness);                   once it is on disk
//
// Thread: any. A value.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/id.h"
#include "base/time.h"
#include "model/delivery.h"
#include "model/task.h"
#include "sim/judge/evidence.h"
#include "sim/witness.h"
#include "store/browse.h"
#include "store/change.h"

namespace petrel::sim {

// Who hands a set over, and when.
struct ChangeAuthor {
  judge::By by = judge::By::Person;
  TaskId task = {};  // Whose step it is, if it is one.
  MonoTime at{};
};

class ChangeEvidence {
 public:
  ChangeEvidence(store::Browse& platters, const store::ChangeSet& set, const ChangeAuthor& author);

  void tell(store::Browse& platters, Witness& witness) const;

 private:
  void look(store::Browse& platters, const store::Change& change);

  ChangeAuthor author_;
  std::vector<model::DeliveryKey> changed_;
  std::vector<store::ExpungePayload> expunged_;
  std::optional<model::Task> record_;  // Of a task, as it is written.
  std::uint64_t overtaken_ = 0;        // What somebody else has done already.
};

}  // namespace petrel::sim
