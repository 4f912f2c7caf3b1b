#include "api/changes.h"

#include <utility>
#include <variant>

namespace petrel::api {
namespace {

// Shows a committed change to everybody.
struct Show {
  store::Catalogue& catalogue;
  RevokedTokens& revoked;

  void operator()(const store::CreateApplication& change) const {
    catalogue.put(change.application);
  }
  void operator()(const store::UpdateApplication& change) const {
    catalogue.put(change.application);
  }
  void operator()(const store::DeleteApplication& change) const {
    const store::ApplicationPtr before = catalogue.application(change.application);
    if (before == nullptr) return;
    model::Application deleted = *before;
    deleted.deleted_at = change.at;
    catalogue.put(std::move(deleted));
  }
  void operator()(const store::CreateEndpoint& change) const { catalogue.put(change.endpoint); }
  void operator()(const store::UpdateEndpoint& change) const { catalogue.put(change.endpoint); }
  void operator()(const store::DeleteEndpoint& change) const {
    const store::EndpointPtr before = catalogue.endpoint(change.endpoint);
    if (before == nullptr) return;
    model::Endpoint deleted = *before;
    deleted.deleted_at = change.at;
    catalogue.put(std::move(deleted));
  }
  void operator()(const store::CreateEventType& change) const { catalogue.put(change.event_type); }
  void operator()(const store::UpdateEventType& change) const { catalogue.put(change.event_type); }
  void operator()(const store::DeleteEventType& change) const {
    catalogue.remove_event_type(change.organisation, change.name);
  }
  void operator()(const store::RevokeToken& change) const { revoked.add(change); }
  // These are seen in the store alone.
  void operator()(const store::ExpungePayload&) const {}
  void operator()(const store::ExpungeResponse&) const {}
  void operator()(const store::AddDelivery&) const {}
  void operator()(const store::CreateTask&) const {}
  void operator()(const store::UpdateTask&) const {}
};

// An endpoint that is switched off or on keeps count of how long it was off.
void keep_held_time(store::ChangeSet& set, WallTime now) {
  for (store::Change& change : set.changes) {
    model::Endpoint* endpoint = nullptr;
    if (auto* create = std::get_if<store::CreateEndpoint>(&change)) endpoint = &create->endpoint;
    if (auto* update = std::get_if<store::UpdateEndpoint>(&change)) endpoint = &update->endpoint;
    if (endpoint != nullptr) endpoint->held.note(!endpoint->may_send(), now);
  }
}

}  // namespace

Changes::Turn Changes::turn_of(OrganisationId organisation, std::string_view event_type) {
  return organisation.text() + "/" + std::string(event_type);
}

void Changes::make(const Turn& turn, Decide decide, std::function<void(Status)> done) {
  if (turn.empty()) return carry_out(decide, std::move(done));
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    std::deque<Waiting>& waiting = waiting_[turn];
    if (waiting.size() < kWaitingMax) {
      is_first = waiting.empty();
      waiting.push_back({std::move(decide), std::move(done)});
      done = nullptr;
    }
  }
  if (done) return done(unavailable("too many changes of the same thing wait; try again"));
  if (is_first) begin(turn);
}

void Changes::begin(const Turn& turn) {
  Decide decide;
  {
    const std::lock_guard lock(mutex_);
    decide = waiting_[turn].front().decide;
  }
  carry_out(decide, [this, turn](const Status& status) { end(turn, status); });
}

void Changes::carry_out(const Decide& decide, std::function<void(Status)> done) {
  Result<store::ChangeSet> set = decide();
  if (!set.ok()) return done(set.error());
  if (set->changes.empty()) return done(Done{});
  keep_held_time(*set, clock_.wall());
  store_.change(*set, [this, changes = set->changes, done = std::move(done)](const Status& status) {
    if (status.ok()) {
      for (const store::Change& change : changes) std::visit(Show{catalogue_, revoked_}, change);
    }
    done(status);
  });
}

void Changes::end(const Turn& turn, const Status& status) {
  std::function<void(Status)> done;
  bool has_more = false;
  {
    const std::lock_guard lock(mutex_);
    std::deque<Waiting>& waiting = waiting_[turn];
    done = std::move(waiting.front().done);
    waiting.pop_front();
    has_more = !waiting.empty();
    if (!has_more) waiting_.erase(turn);
  }
  done(status);
  if (has_more) begin(turn);
}

void Changes::edit(EndpointId id, EditEndpoint edit, EndpointDone done) {
  const auto edited = std::make_shared<store::EndpointPtr>();
  make(
      turn_of(id),
      [this, id, edit = std::move(edit), edited]() -> Result<store::ChangeSet> {
        const store::EndpointPtr before = catalogue_.endpoint(id);
        if (before == nullptr || before->deleted_at) {
          return not_found("there is no such endpoint");
        }
        model::Endpoint endpoint = *before;
        if (const Status status = edit(endpoint); !status.ok()) return status.error();
        *edited = std::make_shared<const model::Endpoint>(endpoint);
        return store::ChangeSet{.changes = {store::UpdateEndpoint{std::move(endpoint)}}};
      },
      [edited, done = std::move(done)](const Status& status) {
        if (!status.ok()) return done(status.error());
        done(*edited);
      });
}

}  // namespace petrel::api
