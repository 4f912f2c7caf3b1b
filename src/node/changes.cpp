#include "node/changes.h"

#include <optional>
#include <utility>
#include <variant>

namespace petrel::node {
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

// Which endpoint it is about. Empty if it is about another thing.
std::optional<EndpointId> endpoint_of(const store::Change& change) {
  if (const auto* create = std::get_if<store::CreateEndpoint>(&change)) return create->endpoint.id;
  if (const auto* update = std::get_if<store::UpdateEndpoint>(&change)) return update->endpoint.id;
  if (const auto* remove = std::get_if<store::DeleteEndpoint>(&change)) return remove->endpoint;
  return std::nullopt;
}

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

void Changes::on_endpoint(std::function<void(const notice::EndpointChange&)> listener) {
  listener_ = std::move(listener);
}

void Changes::make(const Turn& turn, Decide decide, std::function<void(Status)> done) {
  enter(turn, {notice::Author::Person, std::move(decide), std::move(done)});
}

void Changes::enter(const Turn& turn, Waiting waiting) {
  if (turn.empty()) return carry_out(std::move(waiting));
  bool is_first = false;
  bool is_refused = false;
  {
    const std::lock_guard lock(mutex_);
    std::deque<Waiting>& queue = waiting_[turn];
    is_first = queue.empty();
    is_refused = queue.size() >= kWaitingMax;
    if (!is_refused) queue.push_back(std::move(waiting));
  }
  if (is_refused) {
    return waiting.done(unavailable("too many changes of the same thing wait; try again"));
  }
  if (is_first) begin(turn);
}

void Changes::begin(const Turn& turn) {
  std::unique_lock lock(mutex_);
  const Waiting& front = waiting_[turn].front();
  Waiting first{front.by, front.decide, [this, turn](const Status& status) { end(turn, status); }};
  lock.unlock();
  carry_out(std::move(first));
}

void Changes::carry_out(Waiting waiting) {
  Result<store::ChangeSet> set = waiting.decide();
  if (!set.ok()) return waiting.done(set.error());
  if (set->changes.empty()) return waiting.done(Done{});
  keep_held_time(*set, clock_.wall());
  store_.change(*set, [this, changes = set->changes, by = waiting.by,
                       done = std::move(waiting.done)](const Status& status) {
    if (status.ok()) {
      for (const store::Change& change : changes) show(change, by);
    }
    done(status);
  });
}

void Changes::show(const store::Change& change, notice::Author by) {
  const std::optional<EndpointId> endpoint = endpoint_of(change);
  const store::EndpointPtr before = endpoint ? catalogue_.endpoint(*endpoint) : nullptr;
  std::visit(Show{catalogue_, revoked_}, change);
  const store::EndpointPtr after = endpoint ? catalogue_.endpoint(*endpoint) : nullptr;
  if (listener_ && after != nullptr) listener_({before, after, by});
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
  const auto decide = [this, id, edit = std::move(edit), edited]() -> Result<store::ChangeSet> {
    const store::EndpointPtr before = catalogue_.endpoint(id);
    if (before == nullptr || before->deleted_at) return not_found("there is no such endpoint");
    model::Endpoint endpoint = *before;
    if (const Status status = edit(endpoint); !status.ok()) return status.error();
    *edited = std::make_shared<const model::Endpoint>(endpoint);
    return store::ChangeSet{.changes = {store::UpdateEndpoint{std::move(endpoint)}}};
  };
  enter(turn_of(id),
        {notice::Author::Server, decide, [edited, done = std::move(done)](const Status& status) {
           if (!status.ok()) return done(status.error());
           done(*edited);
         }});
}

}  // namespace petrel::node
