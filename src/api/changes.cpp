#include "api/changes.h"

#include <utility>

namespace petrel::api {

void Changes::create(const model::Application& application, std::function<void(Status)> done) {
  store_.change({.changes = {store::CreateApplication{application}}},
                [this, application, done = std::move(done)](const Status& status) {
                  if (status.ok()) catalogue_.put(application);
                  done(status);
                });
}

void Changes::create(const model::Endpoint& endpoint, std::function<void(Status)> done) {
  store_.change({.changes = {store::CreateEndpoint{endpoint}}},
                [this, endpoint, done = std::move(done)](const Status& status) {
                  if (status.ok()) catalogue_.put(endpoint);
                  done(status);
                });
}

void Changes::edit(EndpointId id, EditEndpoint edit, EndpointDone done) {
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    std::deque<Waiting>& waiting = edits_[id];
    if (waiting.size() < kWaitingMax) {
      is_first = waiting.empty();
      waiting.push_back({std::move(edit), std::move(done)});
      done = nullptr;
    }
  }
  if (done) return done(unavailable("too many changes of this endpoint wait; try again"));
  if (is_first) begin(id);
}

void Changes::begin(EndpointId id) {
  EditEndpoint edit;
  {
    const std::lock_guard lock(mutex_);
    edit = edits_[id].front().edit;
  }
  const store::EndpointPtr before = catalogue_.endpoint(id);
  if (before == nullptr || before->deleted_at) {
    return end(id, not_found("there is no such endpoint"));
  }
  model::Endpoint endpoint = *before;
  if (const Status status = edit(endpoint); !status.ok()) return end(id, status.error());
  store_.change({.changes = {store::UpdateEndpoint{endpoint}}},
                [this, endpoint](const Status& status) {
                  if (!status.ok()) return end(endpoint.id, status.error());
                  catalogue_.put(endpoint);
                  end(endpoint.id, std::make_shared<const model::Endpoint>(endpoint));
                });
}

void Changes::end(EndpointId id, Result<store::EndpointPtr> result) {
  EndpointDone done;
  bool has_more = false;
  {
    const std::lock_guard lock(mutex_);
    std::deque<Waiting>& waiting = edits_[id];
    done = std::move(waiting.front().done);
    waiting.pop_front();
    has_more = !waiting.empty();
    if (!has_more) edits_.erase(id);
  }
  done(std::move(result));
  if (has_more) begin(id);
}

}  // namespace petrel::api
