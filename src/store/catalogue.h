// Catalogue is the applications, endpoints and event types as everybody on this machine sees them:
// in memory, always as the last committed change left them.
//
// What was deleted is still there for whoever has its id: an attempt that names it, a delivery that
// has to be ended. Nothing else finds it.
//
// What it hands out never changes: a change puts a new value in its place, and whoever still holds
// the old one goes on with it to the end of what they are doing.
//
// Thread: safe.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/id.h"
#include "base/result.h"
#include "model/application.h"
#include "model/endpoint.h"
#include "model/event_type.h"
#include "model/part.h"
#include "store/browse.h"

namespace petrel::store {

using ApplicationPtr = std::shared_ptr<const model::Application>;
using EndpointPtr = model::EndpointPtr;
using EventTypePtr = std::shared_ptr<const model::EventType>;

class Catalogue {
 public:
  // Reads everything that is there.
  Status load(Browse& browse);

  // Called once a change is committed.
  void put(model::Application application);
  void put(model::Endpoint endpoint);
  void put(model::EventType event_type);
  void remove_event_type(OrganisationId organisation, std::string_view name);

  // Also if it was deleted. Null if there is none.
  ApplicationPtr application(ApplicationId id) const;
  EndpointPtr endpoint(EndpointId id) const;

  // The part that the endpoint's URL is in. Empty if there is none.
  std::optional<model::Part> part(EndpointId id) const;

  // Those that are not deleted, in no order.
  std::vector<EndpointPtr> all_endpoints() const;

  // Of the applications that say something of it themselves, also of those that were deleted.
  std::vector<std::pair<ApplicationId, model::RetentionSettings>> retentions() const;

  // Grows when what retentions() says becomes something else.
  std::uint64_t retention_edition() const;

  // By id or by uid, within the organisation or the application: never anybody else's. Null if
  // there is none.
  ApplicationPtr find_application(OrganisationId organisation, std::string_view id_or_uid) const;
  EndpointPtr find_endpoint(ApplicationId application, std::string_view id_or_uid) const;

  // Ordered by id.
  std::vector<ApplicationPtr> applications_of(OrganisationId organisation) const;
  std::vector<EndpointPtr> endpoints_of(ApplicationId application) const;

  // Null if there is none.
  EventTypePtr find_event_type(OrganisationId organisation, std::string_view name) const;

  // Ordered by name.
  std::vector<EventTypePtr> event_types_of(OrganisationId organisation) const;

 private:
  // What is not deleted; an endpoint that is not is found here even if its application is not
  // known.
  struct Tenant {
    std::map<EndpointId, EndpointPtr> endpoints;
    std::map<std::string, EndpointId, std::less<>> endpoint_uids;
  };
  struct Placed {
    EndpointPtr endpoint;
    model::Part part = 0;  // Of its URL, worked out once.
  };
  struct Organisation {
    std::map<ApplicationId, ApplicationPtr> applications;
    std::map<std::string, ApplicationId, std::less<>> uids;
    std::map<std::string, EventTypePtr, std::less<>> event_types;
  };

  // REQUIRES: mutex_ is held.
  void insert(ApplicationPtr application);
  void insert(EndpointPtr endpoint);
  void insert(EventTypePtr event_type);

  mutable std::shared_mutex mutex_;
  std::unordered_map<ApplicationId, ApplicationPtr> applications_;
  std::unordered_map<ApplicationId, Tenant> tenants_;
  std::unordered_map<EndpointId, Placed> endpoints_;
  std::map<OrganisationId, Organisation> organisations_;
  std::uint64_t retention_edition_ = 1;
};

}  // namespace petrel::store
