// Transport is the door through which attempts leave: it sends one request to a receiver and says
// what came of it. The engine sees nothing else of the network.
//
// Thread: confined to one shard.

#pragma once

#include "base/function.h"
#include "model/attempt.h"

namespace petrel::engine {

class Transport {
 public:
  virtual ~Transport() = default;

  using Done = Function<void(model::AttemptResult)>;

  // Sends the order and answers exactly once, on the shard's thread and never from within this
  // call, no later than the order's timeout (give or take a timer). Whatever happens is a result:
  // there is no other way to fail.
  virtual void send(model::AttemptOrder order, Done done) = 0;

  // Ends all attempts that are out, as our own fault: they cost their deliveries nothing.
  virtual void cancel_all() = 0;
};

}  // namespace petrel::engine
