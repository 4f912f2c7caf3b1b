// Hold keeps a lane still until a moment, because the receiver asked for it with Retry-After.
//
// Of several requests to wait the latest moment counts: an answer that asks for less, or that was
// on its way when the longer one came, does not shorten the wait. How long a receiver may ask for
// is capped before it gets here. A hold ends by itself; nothing has to be armed for it.
//
// Thread: confined.

#pragma once

#include <optional>
#include <string>

#include "base/time.h"

namespace petrel::lane {

class Hold {
 public:
  // Holds until `until`, or longer if it does so already.
  void extend(MonoTime until);

  // Ends the hold at once, for an operator who knows better.
  void release() { until_.reset(); }

  // The moment at which it ends. Empty if nothing is held at `now`; at the moment itself nothing
  // is held any more.
  std::optional<MonoTime> until(MonoTime now) const;

  // "receiver asked us to wait; 43s left". Empty if nothing is held.
  std::string explain(MonoTime now) const;

 private:
  std::optional<MonoTime> until_;
};

}  // namespace petrel::lane
