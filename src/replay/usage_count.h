// UsageCount counts, application by application, how many deliveries the messages of a time have
// made: what an organisation is billed by. It looks at a few messages at a time.
//
//   UsageCount usage(task.selection);
//   while (!usage.is_done()) usage.go_on(browse);
//   usage.json()    {"appStats": [{"appId": "app_…", "messageDestinations": 2}, …]}
//
// Thread: confined; go_on() may wait for the disk.

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/id.h"
#include "base/result.h"
#include "model/task.h"
#include "store/browse.h"

namespace petrel::replay {

class UsageCount {
 public:
  explicit UsageCount(model::Selection selection) : selection_(std::move(selection)) {}

  bool is_done() const { return counts_.size() == selection_.applications.size() && !is_within_; }

  // REQUIRES: it is not done.
  Status go_on(store::Browse& browse);

  std::string json() const;

 private:
  model::Selection selection_;
  std::vector<std::uint64_t> counts_;  // Of the applications so far, in their order.
  bool is_within_ = false;             // The last of them has more.
  Ksuid after_;
};

}  // namespace petrel::replay
