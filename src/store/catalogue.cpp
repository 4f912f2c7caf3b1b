#include "store/catalogue.h"

#include <mutex>
#include <utility>

namespace petrel::store {
namespace {

// Takes the name that `before` had out of the names, and puts in the one that `now` has.
template <typename Names, typename Pointer>
void rename(Names& names, const Pointer& before, const Pointer& now) {
  if (before && !before->uid.empty()) {
    const auto found = names.find(before->uid);
    if (found != names.end() && found->second == before->id) names.erase(found);
  }
  if (!now->uid.empty() && !now->deleted_at) names.insert_or_assign(now->uid, now->id);
}

// Among those that can be found, unless it is deleted.
template <typename Map, typename Names, typename Pointer>
void place(Map& things, Names& names, const Pointer& now) {
  const auto before = things.find(now->id);
  rename(names, before == things.end() ? nullptr : before->second, now);
  if (!now->deleted_at) {
    things.insert_or_assign(now->id, now);
  } else if (before != things.end()) {
    things.erase(before);
  }
}

template <typename Map, typename Names>
auto find(const Map& things, const Names& names, std::string_view id_or_uid) ->
    typename Map::mapped_type {
  const auto id = Map::key_type::parse(id_or_uid);
  if (id.ok()) {
    const auto found = things.find(*id);
    if (found != things.end()) return found->second;
  }
  const auto named = names.find(id_or_uid);
  if (named == names.end()) return nullptr;
  const auto found = things.find(named->second);
  return found == things.end() ? nullptr : found->second;
}

template <typename Map>
auto values(const Map& things) {
  std::vector<typename Map::mapped_type> list;
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
  Result<std::vector<model::EventType>> event_types = browse.all_event_types();
  if (!event_types.ok()) return event_types.error();

  const std::unique_lock lock(mutex_);
  for (model::Application& application : *applications) {
    insert(std::make_shared<const model::Application>(std::move(application)));
  }
  for (model::Endpoint& endpoint : *endpoints) {
    insert(std::make_shared<const model::Endpoint>(std::move(endpoint)));
  }
  for (model::EventType& event_type : *event_types) {
    insert(std::make_shared<const model::EventType>(std::move(event_type)));
  }
  return Done{};
}

void Catalogue::put(model::Application application) {
  const auto pointer = std::make_shared<const model::Application>(std::move(application));
  const std::unique_lock lock(mutex_);
  insert(pointer);
  if (!pointer->deleted_at) return;
  for (const EndpointPtr& endpoint : values(tenants_[pointer->id].endpoints)) {
    auto deleted = std::make_shared<model::Endpoint>(*endpoint);
    deleted->deleted_at = pointer->deleted_at;
    insert(std::move(deleted));
  }
}

void Catalogue::put(model::Endpoint endpoint) {
  auto pointer = std::make_shared<const model::Endpoint>(std::move(endpoint));
  const std::unique_lock lock(mutex_);
  insert(std::move(pointer));
}

void Catalogue::put(model::EventType event_type) {
  auto pointer = std::make_shared<const model::EventType>(std::move(event_type));
  const std::unique_lock lock(mutex_);
  insert(std::move(pointer));
}

void Catalogue::remove_event_type(OrganisationId organisation, std::string_view name) {
  const std::unique_lock lock(mutex_);
  auto& event_types = organisations_[organisation].event_types;
  const auto found = event_types.find(name);
  if (found != event_types.end()) event_types.erase(found);
}

ApplicationPtr Catalogue::application(ApplicationId id) const {
  const std::shared_lock lock(mutex_);
  const auto found = applications_.find(id);
  return found == applications_.end() ? nullptr : found->second;
}

EndpointPtr Catalogue::endpoint(EndpointId id) const {
  const std::shared_lock lock(mutex_);
  const auto found = endpoints_.find(id);
  return found == endpoints_.end() ? nullptr : found->second.endpoint;
}

std::optional<model::Part> Catalogue::part(EndpointId id) const {
  const std::shared_lock lock(mutex_);
  const auto found = endpoints_.find(id);
  if (found == endpoints_.end()) return std::nullopt;
  return found->second.part;
}

std::vector<std::pair<ApplicationId, model::RetentionSettings>> Catalogue::retentions() const {
  const std::shared_lock lock(mutex_);
  std::vector<std::pair<ApplicationId, model::RetentionSettings>> found;
  for (const auto& [id, application] : applications_) {
    if (application->retention != model::RetentionSettings()) {
      found.emplace_back(id, application->retention);
    }
  }
  return found;
}

std::uint64_t Catalogue::retention_edition() const {
  const std::shared_lock lock(mutex_);
  return retention_edition_;
}

std::vector<EndpointPtr> Catalogue::all_endpoints() const {
  const std::shared_lock lock(mutex_);
  std::vector<EndpointPtr> list;
  for (const auto& [id, placed] : endpoints_) {
    if (!placed.endpoint->deleted_at) list.push_back(placed.endpoint);
  }
  return list;
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

EventTypePtr Catalogue::find_event_type(OrganisationId organisation, std::string_view name) const {
  const std::shared_lock lock(mutex_);
  const auto owner = organisations_.find(organisation);
  if (owner == organisations_.end()) return nullptr;
  const auto found = owner->second.event_types.find(name);
  return found == owner->second.event_types.end() ? nullptr : found->second;
}

std::vector<EventTypePtr> Catalogue::event_types_of(OrganisationId organisation) const {
  const std::shared_lock lock(mutex_);
  const auto found = organisations_.find(organisation);
  if (found == organisations_.end()) return {};
  return values(found->second.event_types);
}

void Catalogue::insert(ApplicationPtr application) {
  Organisation& organisation = organisations_[application->organisation];
  place(organisation.applications, organisation.uids, application);
  ApplicationPtr& known = applications_[application->id];
  const model::RetentionSettings before = known ? known->retention : model::RetentionSettings();
  if (application->retention != before) ++retention_edition_;
  known = std::move(application);
}

void Catalogue::insert(EndpointPtr endpoint) {
  Tenant& tenant = tenants_[endpoint->application];
  place(tenant.endpoints, tenant.endpoint_uids, endpoint);
  const EndpointId id = endpoint->id;
  const model::Part part = model::part_of(endpoint->url);
  endpoints_[id] = {std::move(endpoint), part};
}

void Catalogue::insert(EventTypePtr event_type) {
  auto& event_types = organisations_[event_type->organisation].event_types;
  const std::string name = event_type->name;
  event_types.insert_or_assign(name, std::move(event_type));
}

}  // namespace petrel::store
