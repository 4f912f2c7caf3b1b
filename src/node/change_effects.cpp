#include "node/change_effects.h"

#include <utility>
#include <variant>
#include <vector>

#include "node/log_lines.h"

namespace petrel::node {
namespace {

notice::Author author_of(Author by) {
  return by == Author::Person ? notice::Author::Person : notice::Author::Server;
}

// The endpoints that have, by this set, live deliveries which their lanes have not heard of.
std::set<EndpointId> lanes_to_look(const store::ChangeSet& set) {
  std::set<EndpointId> endpoints;
  for (const store::Change& change : set.changes) {
    if (const auto* added = std::get_if<store::AddDelivery>(&change)) {
      endpoints.insert(added->delivery.key.endpoint);
    }
  }
  for (const model::Settlement& settlement : set.settlements) {
    if (settlement.delivery.is_live()) endpoints.insert(settlement.delivery.key.endpoint);
  }
  return endpoints;
}

std::vector<std::pair<OrganisationId, TaskId>> tasks_to_wake(const store::ChangeSet& set) {
  std::vector<std::pair<OrganisationId, TaskId>> tasks;
  for (const store::Change& change : set.changes) {
    if (const auto* create = std::get_if<store::CreateTask>(&change)) {
      tasks.emplace_back(create->task.organisation, create->task.id);
    }
    if (const auto* update = std::get_if<store::UpdateTask>(&change)) {
      tasks.emplace_back(update->task.organisation, update->task.id);
    }
  }
  return tasks;
}

}  // namespace

// Shows one change after the other to everybody, and has the lanes acknowledge it.
class ChangeEffects::Show {
 public:
  Show(const Parts& parts, Author by, Acknowledgement& applied)
      : parts_(parts), by_(by), applied_(applied) {}

  void operator()(const store::CreateApplication& change) { put(change.application); }
  void operator()(const store::UpdateApplication& change) { put(change.application); }
  void operator()(const store::DeleteApplication& change) {
    const store::ApplicationPtr before = parts_.catalogue.application(change.application);
    if (before == nullptr) return;
    model::Application deleted = *before;
    deleted.deleted_at = change.at;
    put(std::move(deleted));
  }

  void operator()(const store::CreateEndpoint& change) { put(change.endpoint); }
  void operator()(const store::UpdateEndpoint& change) { put(change.endpoint); }
  void operator()(const store::DeleteEndpoint& change) {
    const store::EndpointPtr before = parts_.catalogue.endpoint(change.endpoint);
    if (before == nullptr) return;
    model::Endpoint deleted = *before;
    deleted.deleted_at = change.at;
    put(std::move(deleted));
  }

  void operator()(const store::CreateEventType& change) { parts_.catalogue.put(change.event_type); }
  void operator()(const store::UpdateEventType& change) { parts_.catalogue.put(change.event_type); }
  void operator()(const store::DeleteEventType& change) {
    parts_.catalogue.remove_event_type(change.organisation, change.name);
  }

  void operator()(const store::RevokeToken& change) {
    parts_.revoked.prune(parts_.clock.wall());
    parts_.revoked.add(change);
  }

  void operator()(const store::ExpungePayload& change) {
    parts_.payloads.forget(change.message);
    if (!forgotten_.insert(change.application).second) return;
    for (std::size_t i = 0; i < parts_.lanes.shard_count(); ++i) {
      parts_.lanes.send_to_shard(i, ForgetPayloads{change.application, applied_.another()});
    }
  }

  // Nobody keeps anything of these in memory, or it is told below.
  void operator()(const store::ExpungeResponse&) {}
  void operator()(const store::AddDelivery&) {}
  void operator()(const store::KeepLane&) {}
  void operator()(const store::KeepSuspect&) {}

  void operator()(const store::CreateTask& change) { log_task_begun(parts_.log, change.task); }
  void operator()(const store::UpdateTask& change) {
    // Of the end of its own, which may have to be written twice, a task tells itself.
    if (by_ != Author::Task) log_task_edited(parts_.log, change.task);
  }

  void put(model::Application application) {
    const ApplicationId id = application.id;
    const store::ApplicationPtr before = parts_.catalogue.application(id);
    const bool are_limits_affected = before == nullptr || application.deleted_at ||
                                     before->in_flight_max != application.in_flight_max;
    parts_.rates.changed(application, parts_.clock.mono());
    parts_.catalogue.put(std::move(application));
    for (std::size_t i = 0; i < parts_.lanes.shard_count(); ++i) {
      parts_.lanes.send_to_shard(i, ApplicationChanged{id, applied_.another()});
    }
    if (are_limits_affected) send(parts_.limits.application_changed(id));
  }

  void put(model::Endpoint endpoint) {
    const EndpointId id = endpoint.id;
    const store::EndpointPtr before = parts_.catalogue.endpoint(id);
    if (before) parts_.lanes.url_changes(id, before->url, endpoint.url);
    const bool is_resumed = before && !before->may_send() && endpoint.may_send();
    parts_.catalogue.put(std::move(endpoint));
    send(parts_.limits.endpoint_changed(id));
    parts_.lanes.send_to(id, LaneChanged{id, is_resumed, applied_.another()});
    notice::EndpointChange change{before, parts_.catalogue.endpoint(id), author_of(by_)};
    log_change(parts_.log, change);
    parts_.lanes.send_to(id, EndpointNews{std::move(change)});
  }

 private:
  void send(std::vector<LimitOf> limits) {
    for (LimitOf& each : limits) {
      parts_.lanes.send_to_authority(
          each.authority, AuthorityLimitChanged{each.authority, each.limit, applied_.another()});
    }
  }

  const Parts& parts_;
  Author by_;
  Acknowledgement& applied_;
  std::set<ApplicationId> forgotten_;
};

void ChangeEffects::committed(const ChangeWritten& change, Function<void()> done) {
  const Applied applied = Acknowledgement::begin(parts_.control, std::move(done));
  Show show(parts_, change.by, *applied);
  for (const store::Change& each : change.set.changes) std::visit(show, each);
  look_again(change);
  applied->begun();
}

void ChangeEffects::look_again(const ChangeWritten& change) {
  for (const EndpointId endpoint : lanes_to_look(change.set)) {
    parts_.lanes.send_to(endpoint, LaneLook{endpoint});
  }
  if (change.by == Author::Task) return;
  for (const auto& [organisation, task] : tasks_to_wake(change.set)) {
    parts_.tasks.wake(organisation, task);
  }
}

// What is on disk of what a set names.
struct ChangeEffects::Found {
  std::vector<model::Application> applications = {};
  std::vector<model::Endpoint> endpoints = {};
  std::vector<model::EventType> event_types = {};
  std::vector<std::pair<OrganisationId, std::string>> event_types_gone = {};
  std::vector<store::RevokeToken> revoked = {};
};

namespace {

// Reads one thing after the other; ends with the first that cannot be read.
template <typename Found>
class Reading {
 public:
  Reading(store::Browse& browse, Found& found) : browse_(browse), found_(found) {}

  Status status() const { return status_; }

  void operator()(const store::CreateApplication& change) { application(change.application.id); }
  void operator()(const store::UpdateApplication& change) { application(change.application.id); }
  void operator()(const store::DeleteApplication& change) { application(change.application); }
  void operator()(const store::CreateEndpoint& change) { endpoint(change.endpoint.id); }
  void operator()(const store::UpdateEndpoint& change) { endpoint(change.endpoint.id); }
  void operator()(const store::DeleteEndpoint& change) { endpoint(change.endpoint); }
  void operator()(const store::CreateEventType& change) { event_type(change.event_type); }
  void operator()(const store::UpdateEventType& change) { event_type(change.event_type); }
  void operator()(const store::DeleteEventType& change) {
    model::EventType named;
    named.organisation = change.organisation;
    named.name = change.name;
    event_type(named);
  }
  void operator()(const store::RevokeToken& change) {
    Result<std::vector<store::RevokeToken>> all = browse_.revoked_tokens();
    if (!all.ok()) return fail(all.error());
    for (const store::RevokeToken& each : *all) {
      if (each == change) found_.revoked.push_back(each);
    }
  }
  void operator()(const store::ExpungePayload&) {}
  void operator()(const store::ExpungeResponse&) {}
  void operator()(const store::AddDelivery&) {}
  void operator()(const store::CreateTask&) {}
  void operator()(const store::UpdateTask&) {}
  void operator()(const store::KeepLane&) {}
  void operator()(const store::KeepSuspect&) {}

 private:
  void application(ApplicationId id) {
    Result<model::Application> read = browse_.application(id);
    if (read.ok()) return found_.applications.push_back(*std::move(read));
    fail(read.error());
  }
  void endpoint(EndpointId id) {
    Result<model::Endpoint> read = browse_.endpoint(id);
    if (read.ok()) return found_.endpoints.push_back(*std::move(read));
    fail(read.error());
  }
  void event_type(const model::EventType& named) {
    Result<model::EventType> read = browse_.event_type(named.organisation, named.name);
    if (read.ok()) return found_.event_types.push_back(*std::move(read));
    const bool is_gone = read.error().kind == ErrorKind::NotFound;
    if (is_gone) found_.event_types_gone.emplace_back(named.organisation, named.name);
    fail(read.error());
  }

  // What is not there was not written, and what is damaged is not served: neither is read again.
  void fail(const Error& error) {
    if (error.kind == ErrorKind::Unavailable) status_ = error;
  }

  store::Browse& browse_;
  Found& found_;
  Status status_ = Done{};
};

}  // namespace

void ChangeEffects::unsure(const ChangeWritten& change, Function<void()> done) {
  look_again(change);
  read_again(std::make_shared<const ChangeWritten>(change),
             std::make_shared<Function<void()>>(std::move(done)));
}

void ChangeEffects::read_again(std::shared_ptr<const ChangeWritten> change,
                               std::shared_ptr<Function<void()>> done) {
  const auto try_later = [this, change, done] {
    alarms_.at(parts_.clock.mono() + kReadAgain,
               [this, change, done] { read_again(change, done); });
  };
  const bool is_taken = parts_.pool.run([this, change, done, try_later] {
    auto found = std::make_shared<Found>();
    Reading<Found> reading(parts_.browse, *found);
    for (const store::Change& each : change->set.changes) std::visit(reading, each);
    parts_.control.post([this, change, found, done, try_later, status = reading.status()] {
      if (!status.ok()) return try_later();
      show(*found, *change);
      (*done)();
    });
  });
  if (!is_taken) try_later();
}

void ChangeEffects::show(const Found& found, const ChangeWritten& change) {
  const Applied applied = Acknowledgement::begin(parts_.control, [] {});
  Show show(parts_, Author::Server, *applied);
  for (const model::Application& each : found.applications) {
    const store::ApplicationPtr known = parts_.catalogue.application(each.id);
    if (known == nullptr || *known != each) show.put(each);
  }
  for (const model::Endpoint& each : found.endpoints) {
    const store::EndpointPtr known = parts_.catalogue.endpoint(each.id);
    if (known == nullptr || *known != each) show.put(each);
  }
  for (const model::EventType& each : found.event_types) parts_.catalogue.put(each);
  for (const auto& [organisation, name] : found.event_types_gone) {
    parts_.catalogue.remove_event_type(organisation, name);
  }
  for (const store::RevokeToken& each : found.revoked) parts_.revoked.add(each);
  for (const store::Change& each : change.set.changes) {
    if (const auto* expunged = std::get_if<store::ExpungePayload>(&each)) show(*expunged);
  }
  applied->begun();
}

}  // namespace petrel::node
