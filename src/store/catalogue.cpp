#include "store/catalogue.h"

#include <mutex>
#include <utility>

namespace petrel::store {
namespace {

// Takes the name that `before` had out of the names, and puts in the one that `now` has.
template <typename Names, typename Pointer>
void rename(Names& names, const Pointer& before, const Pointer& now) {
  if (before && before->uid == now->uid) return;
  if (before && !before->uid.empty()) {
    const auto found = names.find(before->uid);
    if (found != names.end() && found->second == before->id) names.erase(found);
  }
  if (!now->uid.empty()) names.insert_or_assign(now->uid, now->id);
}

template <typename Things, typename Names>
auto find(const Things& things, const Names& names, std::string_view id_or_uid) ->
    typename Things::mapped_type {
  const auto id = Things::key_type::parse(id_or_uid);
  if (id.ok()) {
    const auto found = things.find(*id);
    if (found != things.end()) return found->second;
  }
  const auto named = names.find(id_or_uid);
  if (named == names.end()) return nullptr;
  const auto found = things.find(named->second);
  return found == things.end() ? nullptr : found->second;
}

template <typename Things>
auto values(const Things& things) {
  std::vector<typename Things::mapped_type> list;
  list.reserve(things.size());
  for (const auto& [id, thing] : things) list.push_back(thing);
  return list;
}

}  // namespace

Status Catalogue::load(Browse& browse) {
  Result<std::vector<model::Application>> applications = browse.all_applications();
  if (!applications.ok()) return applications.error();
  Result<std::vector<model::Endpoint>> endpoints = browse.all_endpoints();
  if (!endpoints.ok()) return endpoints.error();

  const std::unique_lock lock(mutex_);
  for (model::Application& application : *applications) {
    insert(std::make_shared<const model::Application>(std::move(application)));
  }
  for (model::Endpoint& endpoint : *endpoints) {
    insert(std::make_shared<const model::Endpoint>(std::move(endpoint)));
  }
  return Done{};
}

void Catalogue::put(model::Application application) {
  auto pointer = std::make_shared<const model::Application>(std::move(application));
  const std::unique_lock lock(mutex_);
  insert(std::move(pointer));
}

void Catalogue::put(model::Endpoint endpoint) {
  const auto pointer = std::make_shared<const model::Endpoint>(std::move(endpoint));
  {
    const std::unique_lock lock(mutex_);
    insert(pointer);
  }
  if (listener_) listener_(pointer);
}

void Catalogue::on_endpoint(std::function<void(const EndpointPtr&)> listener) {
  listener_ = std::move(listener);
}

ApplicationPtr Catalogue::application(ApplicationId id) const {
  const std::shared_lock lock(mutex_);
  const auto found = tenants_.find(id);
  return found == tenants_.end() ? nullptr : found->second.application;
}

EndpointPtr Catalogue::endpoint(EndpointId id) const {
  const std::shared_lock lock(mutex_);
  const auto found = endpoints_.find(id);
  return found == endpoints_.end() ? nullptr : found->second;
}

ApplicationPtr Catalogue::find_application(OrganisationId organisation,
                                           std::string_view id_or_uid) const {
  const std::shared_lock lock(mutex_);
  const auto found = organisations_.find(organisation);
  if (found == organisations_.end()) return nullptr;
  return find(found->second.applications, found->second.uids, id_or_uid);
}

EndpointPtr Catalogue::find_endpoint(ApplicationId application, std::string_view id_or_uid) const {
  const std::shared_lock lock(mutex_);
  const auto found = tenants_.find(application);
  if (found == tenants_.end()) return nullptr;
  return find(found->second.endpoints, found->second.endpoint_uids, id_or_uid);
}

std::vector<ApplicationPtr> Catalogue::applications_of(OrganisationId organisation) const {
  const std::shared_lock lock(mutex_);
  const auto found = organisations_.find(organisation);
  if (found == organisations_.end()) return {};
  return values(found->second.applications);
}

std::vector<EndpointPtr> Catalogue::endpoints_of(ApplicationId application) const {
  const std::shared_lock lock(mutex_);
  const auto found = tenants_.find(application);
  if (found == tenants_.end()) return {};
  return values(found->second.endpoints);
}

void Catalogue::insert(ApplicationPtr application) {
  Organisation& organisation = organisations_[application->organisation];
  ApplicationPtr& place = organisation.applications[application->id];
  rename(organisation.uids, place, application);
  place = application;
  tenants_[application->id].application = std::move(application);
}

void Catalogue::insert(EndpointPtr endpoint) {
  Tenant& tenant = tenants_[endpoint->application];
  EndpointPtr& place = tenant.endpoints[endpoint->id];
  rename(tenant.endpoint_uids, place, endpoint);
  place = endpoint;
  const EndpointId id = endpoint->id;
  endpoints_[id] = std::move(endpoint);
}

}  // namespace petrel::store
