// Loads knows which attempts had to wait for their payload to be read, and for how long: the engine
// let them go before that.
//
// Thread: confined.

#pragma once

#include <unordered_map>
#include <utility>

#include "base/id.h"
#include "base/time.h"

namespace petrel::sim::check {

class Loads {
 public:
  // A payload is handed to the engine, which had to wait for it.
  void add(MessageId message, MonoTime now, Duration took) { loads_[message] = {now, took}; }

  // When the engine let go what is on the wire now.
  MonoTime granted_at(MessageId message, MonoTime now) const;

 private:
  std::unordered_map<MessageId, std::pair<MonoTime, Duration>> loads_;  // The last of each.
};

}  // namespace petrel::sim::check
