#include "store/memory/config_records.h"

#include "base/check.h"

namespace petrel::store {
namespace {

Error no_such(std::string_view word) { return not_found("there is no such " + std::string(word)); }

std::string_view word_for(const ApplicationId& /*id*/) { return "application"; }
std::string_view word_for(const EndpointId& /*id*/) { return "endpoint"; }

}  // namespace

Status ConfigRecords::put(const model::Application& application) {
  CHECK(!application.deleted_at);  // Ours: deleting is a change of its own.
  const auto taken = application_uids.find({application.organisation, application.uid});
  if (taken != application_uids.end() && taken->second != application.id) {
    return conflict("another application has this uid");
  }
  const auto before = applications.find(application.id);
  if (before != applications.end()) {
    application_uids.erase({before->second.organisation, before->second.uid});
  }
  if (!application.uid.empty()) {
    application_uids[{application.organisation, application.uid}] = application.id;
  }
  applications.insert_or_assign(application.id, application);
  return Done{};
}

Status ConfigRecords::put(const model::Endpoint& endpoint) {
  CHECK(!endpoint.deleted_at);  // Ours: deleting is a change of its own.
  const auto taken = endpoint_uids.find({endpoint.application, endpoint.uid});
  if (taken != endpoint_uids.end() && taken->second != endpoint.id) {
    return conflict("another endpoint has this uid");
  }
  const auto before = endpoints.find(endpoint.id);
  if (before != endpoints.end()) {
    endpoint_uids.erase({before->second.application, before->second.uid});
  }
  if (!endpoint.uid.empty()) endpoint_uids[{endpoint.application, endpoint.uid}] = endpoint.id;
  endpoints.insert_or_assign(endpoint.id, endpoint);
  return Done{};
}

template <typename T>
Status ConfigRecords::create(const std::map<decltype(T::id), T>& all, const T& thing) {
  const auto found = all.find(thing.id);
  if (found == all.end()) return put(thing);
  if (found->second == thing) return Done{};
  return conflict("there is another " + std::string(word_for(thing.id)) + " of this id");
}

template <typename T>
Status ConfigRecords::update(const std::map<decltype(T::id), T>& all, const T& thing) {
  const auto found = all.find(thing.id);
  if (found == all.end() || found->second.deleted_at) return no_such(word_for(thing.id));
  return put(thing);
}

template <typename T>
Status ConfigRecords::remove(std::map<decltype(T::id), T>& all, const decltype(T::id)& id,
                             WallTime at) {
  const auto found = all.find(id);
  if (found == all.end()) return no_such(word_for(id));
  if (!found->second.deleted_at) bury(found->second, at);
  return found->second.deleted_at == at ? Status(Done{}) : no_such(word_for(id));
}

void ConfigRecords::bury(model::Endpoint& endpoint, WallTime at) {
  endpoint_uids.erase({endpoint.application, endpoint.uid});
  endpoint.deleted_at = at;
}

void ConfigRecords::bury(model::Application& application, WallTime at) {
  application_uids.erase({application.organisation, application.uid});
  application.deleted_at = at;
  for (auto& [id, endpoint] : endpoints) {
    if (endpoint.application == application.id && !endpoint.deleted_at) bury(endpoint, at);
  }
}

Status ConfigRecords::apply(const CreateApplication& change) {
  return create(applications, change.application);
}

Status ConfigRecords::apply(const UpdateApplication& change) {
  return update(applications, change.application);
}

Status ConfigRecords::apply(const DeleteApplication& change) {
  return remove(applications, change.application, change.at);
}

Status ConfigRecords::apply(const CreateEndpoint& change) {
  const auto owner = applications.find(change.endpoint.application);
  if (owner != applications.end() && owner->second.deleted_at) return no_such("application");
  return create(endpoints, change.endpoint);
}

Status ConfigRecords::apply(const UpdateEndpoint& change) {
  return update(endpoints, change.endpoint);
}

Status ConfigRecords::apply(const DeleteEndpoint& change) {
  return remove(endpoints, change.endpoint, change.at);
}

Status ConfigRecords::apply(const CreateEventType& change) {
  const model::EventType& type = change.event_type;
  const auto [place, is_new] = event_types.try_emplace({type.organisation, type.name}, type);
  if (!is_new && place->second != type) return conflict("there is an event type of this name");
  return Done{};
}

Status ConfigRecords::apply(const UpdateEventType& change) {
  const model::EventType& type = change.event_type;
  const auto found = event_types.find({type.organisation, type.name});
  if (found == event_types.end()) return no_such("event type");
  found->second = type;
  return Done{};
}

Status ConfigRecords::apply(const DeleteEventType& change) {
  if (event_types.erase({change.organisation, change.name}) == 0) return no_such("event type");
  return Done{};
}

Status ConfigRecords::apply(const CreateTask& change) {
  const auto [place, is_new] =
      tasks.try_emplace({change.task.organisation, change.task.id}, change.task);
  if (!is_new && place->second != change.task) return conflict("there is another task of this id");
  return Done{};
}

Status ConfigRecords::apply(const UpdateTask& change) {
  const auto found = tasks.find({change.task.organisation, change.task.id});
  if (found == tasks.end()) return no_such("task");
  if (found->second == change.task) return Done{};
  if (change.task.revision != found->second.revision + 1) {
    return conflict("the task was changed meanwhile");
  }
  found->second = change.task;
  return Done{};
}

Status ConfigRecords::apply(const RevokeToken& change) {
  revoked.insert_or_assign(change.hash, change.expires_at);
  return Done{};
}

}  // namespace petrel::store
