// Changes makes the changes to applications and endpoints, one after the other for each thing, so
// that two that come at once both take effect and the catalogue shows them in the order in which
// they were committed.
//
//   edit(id, [](Endpoint& endpoint) { … }, done)
//        waits for the changes before it ─▶ edits what is there then ─▶ store ─▶ catalogue ─▶ done
//
// One of it serves the whole process.
//
// Thread: safe. `done` comes on any thread: the caller's own, or one of the store's. It must only
// hand the answer over. Must outlive the store's last answer.

#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>

#include "base/id.h"
#include "base/result.h"
#include "model/application.h"
#include "model/endpoint.h"
#include "store/catalogue.h"
#include "store/store.h"

namespace petrel::api {

class Changes {
 public:
  // More than this wait for one endpoint: the next one is Unavailable.
  static constexpr std::size_t kWaitingMax = 100;

  Changes(store::Store& store, store::Catalogue& catalogue)
      : store_(store), catalogue_(catalogue) {}
  Changes(const Changes&) = delete;
  Changes& operator=(const Changes&) = delete;

  // Conflict if the uid is taken.
  void create(const model::Application& application, std::function<void(Status)> done);
  void create(const model::Endpoint& endpoint, std::function<void(Status)> done);

  using EditEndpoint = std::function<Status(model::Endpoint&)>;
  using EndpointDone = std::function<void(Result<store::EndpointPtr>)>;

  // Edits the endpoint as it is once its turn has come. An error of `edit` is the answer, and
  // nothing is changed. NotFound if there is no such endpoint.
  void edit(EndpointId id, EditEndpoint edit, EndpointDone done);

 private:
  struct Waiting {
    EditEndpoint edit;
    EndpointDone done;
  };

  void begin(EndpointId id);
  void end(EndpointId id, Result<store::EndpointPtr> result);

  store::Store& store_;
  store::Catalogue& catalogue_;
  std::mutex mutex_;
  std::map<EndpointId, std::deque<Waiting>> edits_;  // The first of each is under way.
};

}  // namespace petrel::api
