// ConfigRecords is what change sets change in a MemoryStore: applications, endpoints, event types,
// tasks and the tokens that were taken back. A plain value, so that a set is tried out on a copy of
// it.
//
// Thread: confined.

#pragma once

#include <map>
#include <string>
#include <utility>

#include "base/result.h"
#include "store/change.h"

namespace petrel::store {

struct ConfigRecords {
  std::map<ApplicationId, model::Application> applications;
  std::map<EndpointId, model::Endpoint> endpoints;
  std::map<std::pair<OrganisationId, std::string>, model::EventType> event_types;
  std::map<std::string, WallTime> revoked;
  std::map<std::pair<OrganisationId, TaskId>, model::Task> tasks;

  // Who has a uid.
  std::map<std::pair<OrganisationId, std::string>, ApplicationId> application_uids;
  std::map<std::pair<ApplicationId, std::string>, EndpointId> endpoint_uids;

  Status apply(const CreateApplication& change);
  Status apply(const UpdateApplication& change);
  Status apply(const DeleteApplication& change);
  Status apply(const CreateEndpoint& change);
  Status apply(const UpdateEndpoint& change);
  Status apply(const DeleteEndpoint& change);
  Status apply(const CreateEventType& change);
  Status apply(const UpdateEventType& change);
  Status apply(const DeleteEventType& change);
  Status apply(const CreateTask& change);
  Status apply(const UpdateTask& change);
  Status apply(const RevokeToken& change);

 private:
  Status put(const model::Application& application);
  Status put(const model::Endpoint& endpoint);
  void bury(model::Application& application, WallTime at);
  void bury(model::Endpoint& endpoint, WallTime at);

  template <typename T>
  Status create(const std::map<decltype(T::id), T>& all, const T& thing);
  template <typename T>
  Status update(const std::map<decltype(T::id), T>& all, const T& thing);
  template <typename T>
  Status remove(std::map<decltype(T::id), T>& all, const decltype(T::id)& id, WallTime at);
};

}  // namespace petrel::store
