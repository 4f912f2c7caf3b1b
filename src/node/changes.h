// Changes makes every write to the store but accepting and settling: applications, endpoints, event
// types, tasks, what people expunge and send again. Those of one thing come one after the other, so
// that two that come at once both take effect.
//
//   make(turn, decide, done)
//        waits for the changes of that turn ─▶ decides by what is there then
//          ─▶ store ─▶ effects on the running node ─▶ done
//
// A change is answered when it is on disk and the node runs by it. If nobody knows whether it was
// written, the caller hears Unavailable at once, and the turn stays taken until what is on disk
// has been read: the next one decides by the truth.
//
// Thread: called on any; decides, commits and answers on the control loop. Must outlive the store's
// last answer.

#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/function.h"
#include "base/id.h"
#include "base/loop.h"
#include "base/result.h"
#include "model/endpoint.h"
#include "node/change_effects.h"
#include "store/catalogue.h"
#include "store/store.h"

namespace petrel::node {

class Changes {
 public:
  struct Parts {
    Loop& control;
    const Clock& clock;
    store::Store& store;
    const store::Catalogue& catalogue;
    ChangeEffects& effects;
  };

  // More than this wait for one turn: the next one is Unavailable.
  static constexpr std::size_t kWaitingMax = 100;

  explicit Changes(const Parts& parts) : parts_(parts) {}
  Changes(const Changes&) = delete;
  Changes& operator=(const Changes&) = delete;

  // Which thing it is whose changes wait for each other. Empty: it waits for nobody, as a new thing
  // that the store alone can tell from another.
  using Turn = std::string;
  static Turn turn_of(ApplicationId id) { return id.text(); }
  static Turn turn_of(EndpointId id) { return id.text(); }
  static Turn turn_of(OrganisationId organisation, std::string_view event_type);

  // Asked once the turn has come, and not to be kept waiting. An error of it is the answer, and
  // nothing is changed; a set without any change is done.
  using Decide = Function<Result<store::ChangeSet>()>;
  using Done = Function<void(Status)>;

  void make(Turn turn, Decide decide, Done done);

  // Without a turn, as it is.
  void write(store::ChangeSet set, Author by, Done done);

  using EditEndpoint = Function<Status(model::Endpoint&)>;

  // Edits the endpoint on behalf of the server itself, as it is once its turn has come. An error of
  // `edit` is the answer, and nothing is changed. NotFound if there is no such endpoint.
  void edit(EndpointId id, EditEndpoint edit, Done done);

 private:
  struct Waiting {
    Author by = Author::Person;
    Decide decide;
    Done done;
  };

  void enter(const Turn& turn, Waiting waiting);
  void carry_out(const Turn& turn, Waiting waiting);
  void written(const Turn& turn, const ChangeWritten& change, Done done, const Status& status);
  void end(const Turn& turn);

  const Parts parts_;
  std::map<Turn, std::deque<Waiting>> waiting_;  // One entry for each turn that is taken.
};

}  // namespace petrel::node
