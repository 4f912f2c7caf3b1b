// Changes makes the changes to applications, endpoints and event types, one after the other for
// each thing, so that two that come at once both take effect and the catalogue shows them in the
// order in which they were committed.
//
//   make(turn, decide, done)
//        waits for the changes of that turn ─▶ decides by what is there then
//          ─▶ store ─▶ catalogue ─▶ listener ─▶ done
//
// One of it serves the whole process.
//
// Thread: safe. `decide` and `done` come on any thread: the caller's own, or one of the store's.
// `done` must only hand the answer over. Must outlive the store's last answer.

#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "node/revoked_tokens.h"
#include "base/clock.h"
#include "base/id.h"
#include "base/result.h"
#include "model/application.h"
#include "model/endpoint.h"
#include "notice/notice.h"
#include "store/catalogue.h"
#include "store/store.h"

namespace petrel::node {

class Changes {
 public:
  // More than this wait for one turn: the next one is Unavailable.
  static constexpr std::size_t kWaitingMax = 100;

  Changes(store::Store& store, store::Catalogue& catalogue, const Clock& clock)
      : store_(store), catalogue_(catalogue), clock_(clock) {}
  Changes(const Changes&) = delete;
  Changes& operator=(const Changes&) = delete;

  // Told of every endpoint that a change was about, once it is committed and the catalogue shows
  // it; not of those that were deleted with their application. On any thread: it must only hand the
  // change over. Set before anything is changed.
  void on_endpoint(std::function<void(const notice::EndpointChange&)> listener);

  // Which thing it is whose changes wait for each other. Empty: it waits for nobody, as a new thing
  // that the store alone can tell from another.
  using Turn = std::string;
  static Turn turn_of(ApplicationId id) { return id.text(); }
  static Turn turn_of(EndpointId id) { return id.text(); }
  static Turn turn_of(OrganisationId organisation, std::string_view event_type);

  // Asked once the turn has come, and not to be kept waiting. An error of it is the answer, and
  // nothing is changed; a set without any change is done.
  using Decide = std::function<Result<store::ChangeSet>()>;

  void make(const Turn& turn, Decide decide, std::function<void(Status)> done);

  using EditEndpoint = std::function<Status(model::Endpoint&)>;
  using EndpointDone = std::function<void(Result<store::EndpointPtr>)>;

  // Edits the endpoint on behalf of the server itself, as it is once its turn has come. An error of
  // `edit` is the answer, and nothing is changed. NotFound if there is no such endpoint.
  void edit(EndpointId id, EditEndpoint edit, EndpointDone done);

  // The tokens that were taken back, by changes and before.
  RevokedTokens& revoked() { return revoked_; }

 private:
  struct Waiting {
    notice::Author by;
    Decide decide;
    std::function<void(Status)> done;
  };

  void enter(const Turn& turn, Waiting waiting);
  void begin(const Turn& turn);
  void end(const Turn& turn, const Status& status);
  void carry_out(Waiting waiting);
  void show(const store::Change& change, notice::Author by);

  store::Store& store_;
  store::Catalogue& catalogue_;
  const Clock& clock_;
  RevokedTokens revoked_;
  std::function<void(const notice::EndpointChange&)> listener_;
  std::mutex mutex_;
  std::map<Turn, std::deque<Waiting>> waiting_;  // The first of each is under way.
};

}  // namespace petrel::node
