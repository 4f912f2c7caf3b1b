#include "node/changes.h"

#include <memory>
#include <utility>
#include <variant>

namespace petrel::node {
namespace {

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

void Changes::make(Turn turn, Decide decide, Done done) {
  Waiting waiting{Author::Person, std::move(decide), std::move(done)};
  parts_.control.post([this, turn = std::move(turn), waiting = std::move(waiting)]() mutable {
    enter(turn, std::move(waiting));
  });
}

void Changes::write(store::ChangeSet set, Author by, Done done) {
  auto decide = [set = std::move(set)]() mutable -> Result<store::ChangeSet> {
    return std::move(set);
  };
  parts_.control.post([this, waiting = Waiting{by, std::move(decide), std::move(done)}]() mutable {
    enter("", std::move(waiting));
  });
}

void Changes::edit(EndpointId id, EditEndpoint edit, Done done) {
  auto decide = [this, id, edit = std::move(edit)]() -> Result<store::ChangeSet> {
    const store::EndpointPtr before = parts_.catalogue.endpoint(id);
    if (before == nullptr || before->deleted_at) return not_found("there is no such endpoint");
    model::Endpoint endpoint = *before;
    if (const Status status = edit(endpoint); !status.ok()) return status.error();
    return store::ChangeSet{.changes = {store::UpdateEndpoint{std::move(endpoint)}}};
  };
  parts_.control.post(
      [this, id, waiting = Waiting{Author::Server, std::move(decide), std::move(done)}]() mutable {
        enter(turn_of(id), std::move(waiting));
      });
}

void Changes::enter(const Turn& turn, Waiting waiting) {
  if (turn.empty()) return carry_out(turn, std::move(waiting));
  const auto [place, is_free] = waiting_.try_emplace(turn);
  if (place->second.size() >= kWaitingMax) {
    return waiting.done(unavailable("too many changes of the same thing wait; try again"));
  }
  if (is_free) return carry_out(turn, std::move(waiting));
  place->second.push_back(std::move(waiting));
}

void Changes::carry_out(const Turn& turn, Waiting waiting) {
  Result<store::ChangeSet> set = waiting.decide();
  const bool is_nothing = set.ok() && set->changes.empty() && set->settlements.empty();
  if (!set.ok() || is_nothing) {
    waiting.done(is_nothing ? Status(petrel::Done{}) : Status(set.error()));
    return end(turn);
  }
  keep_held_time(*set, parts_.clock.wall());
  ChangeWritten change{*set, waiting.by};
  parts_.store.change(*std::move(set), [this, turn, change = std::move(change),
                                        done = std::move(waiting.done)](Status status) mutable {
    parts_.control.post(
        [this, turn, change = std::move(change), done = std::move(done),
         status = std::move(status)]() mutable { written(turn, change, std::move(done), status); });
  });
}

void Changes::written(const Turn& turn, const ChangeWritten& change, Done done,
                      const Status& status) {
  if (status.ok()) {
    return parts_.effects.committed(change, [this, turn, done = std::move(done)] {
      done(petrel::Done{});
      end(turn);
    });
  }
  done(status);
  if (status.error().kind != ErrorKind::Unavailable) return end(turn);
  parts_.effects.unsure(change, [this, turn] { end(turn); });
}

void Changes::end(const Turn& turn) {
  const auto found = waiting_.find(turn);
  if (found == waiting_.end()) return;  // It had none.
  if (found->second.empty()) {
    waiting_.erase(found);
    return;
  }
  Waiting next = std::move(found->second.front());
  found->second.pop_front();
  // Not from within the one before: many that are refused would nest without end.
  parts_.control.post(
      [this, turn, next = std::move(next)]() mutable { carry_out(turn, std::move(next)); });
}

}  // namespace petrel::node
