// Catalogue is the applications and endpoints as everybody on this machine sees them: in memory,
// always as the last committed change left them.
//
// What it hands out never changes: a change puts a new value in its place, and whoever still holds
// the old one goes on with it to the end of what they are doing.
//
// Thread: safe.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/id.h"
#include "base/result.h"
#include "model/application.h"
#include "model/endpoint.h"
#include "store/browse.h"

namespace petrel::store {

using ApplicationPtr = std::shared_ptr<const model::Application>;
using EndpointPtr = std::shared_ptr<const model::Endpoint>;

class Catalogue {
 public:
  // Reads everything that is there. The listener hears nothing of it.
  Status load(Browse& browse);

  // Called once a change is committed.
  void put(model::Application application);
  void put(model::Endpoint endpoint);

  // Told of every put(endpoint), on the thread that made it. Set before anything is put.
  void on_endpoint(std::function<void(const EndpointPtr&)> listener);

  // Null if there is none.
  ApplicationPtr application(ApplicationId id) const;
  EndpointPtr endpoint(EndpointId id) const;

  // By id or by uid, within the organisation or the application: never anybody else's. Null if
  // there is none.
  ApplicationPtr find_application(OrganisationId organisation, std::string_view id_or_uid) const;
  EndpointPtr find_endpoint(ApplicationId application, std::string_view id_or_uid) const;

  // Ordered by id.
  std::vector<ApplicationPtr> applications_of(OrganisationId organisation) const;
  std::vector<EndpointPtr> endpoints_of(ApplicationId application) const;

 private:
  struct Tenant {
    ApplicationPtr application;
    std::map<EndpointId, EndpointPtr> endpoints;
    std::map<std::string, EndpointId, std::less<>> endpoint_uids;
  };
  struct Organisation {
    std::map<ApplicationId, ApplicationPtr> applications;
    std::map<std::string, ApplicationId, std::less<>> uids;
  };

  // REQUIRES: mutex_ is held.
  void insert(ApplicationPtr application);
  void insert(EndpointPtr endpoint);

  mutable std::shared_mutex mutex_;
  std::unordered_map<ApplicationId, Tenant> tenants_;
  std::unordered_map<EndpointId, EndpointPtr> endpoints_;
  std::map<OrganisationId, Organisation> organisations_;
  std::function<void(const EndpointPtr&)> listener_;
};

}  // namespace petrel::store
