// change() carries a call through that changes something: it is decided in its turn, committed, and
// answered, and the answer to a POST with an idempotency key is kept in the same commit.
//
//   change(call, [call] { return Plan{turn, decide}; });
//
// The same key again, by the same caller for the same path, gives the kept answer for 12 hours;
// with another body it is a Conflict. Of two that come at once, one is carried out, and both get
// its answer. Only answers of 2xx are kept, and only if something was changed: whatever else was
// answered may be asked again.
//
// Thread: confined to the call's loop.

#pragma once

#include <functional>
#include <vector>

#include "api/http/call.h"
#include "base/result.h"
#include "net/http_message.h"
#include "node/changes.h"
#include "store/change.h"

namespace petrel::api {

// What a change comes to: what the store is to do, and what is answered once it has. An answer that
// is no 2xx has no changes.
struct ChangeDecision {
  std::vector<store::Change> changes = {};
  net::HttpResponse response;
};

struct Plan {
  node::Changes::Turn turn;

  // By what the catalogue shows once the turn has come. Runs on the control loop: it must touch
  // nothing of the context.
  std::function<Result<ChangeDecision>()> decide;
};

// What a request that was carried out before is answered with, in the place of a kept answer.
using AnswerAgain = std::function<Result<net::HttpResponse>()>;

// Asks for a plan once more if the change met a Conflict or NotFound and it is another thing's turn
// by then: an upsert that began as a creation may find that another request was quicker.
//
// With `again` the body of the answer is not kept: it holds a secret, and what is kept is not
// sealed.
void change(const CallPtr& call, std::function<Plan()> plan, AnswerAgain again = {});

}  // namespace petrel::api
