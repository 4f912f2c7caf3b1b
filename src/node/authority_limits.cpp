#include "node/authority_limits.h"

#include <algorithm>

#include "base/url.h"

namespace petrel::node {

std::vector<LimitOf> AuthorityLimits::load() {
  for (const store::EndpointPtr& endpoint : catalogue_.all_endpoints()) {
    note({endpoint->application, endpoint->id}, nullptr);
  }
  std::vector<LimitOf> limits;
  for (const auto& [authority, place] : places_) {
    if (limit_at(place) != usual()) limits.push_back({authority, limit_at(place)});
  }
  std::sort(limits.begin(), limits.end(),
            [](const LimitOf& a, const LimitOf& b) { return a.authority < b.authority; });
  return limits;
}

std::vector<LimitOf> AuthorityLimits::endpoint_changed(EndpointId endpoint) {
  Before before;
  if (const store::EndpointPtr record = catalogue_.endpoint(endpoint)) {
    note({record->application, endpoint}, &before);
  }
  return changed_since(before);
}

std::vector<LimitOf> AuthorityLimits::application_changed(ApplicationId application) {
  Before before;
  // Those that are gone with it are no longer among its endpoints.
  std::vector<Key> affected;
  for (auto known = known_.lower_bound({application, EndpointId()});
       known != known_.end() && known->first.first == application; ++known) {
    affected.push_back(known->first);
  }
  for (const store::EndpointPtr& endpoint : catalogue_.endpoints_of(application)) {
    affected.emplace_back(application, endpoint->id);
  }
  for (const Key& key : affected) note(key, &before);
  return changed_since(before);
}

void AuthorityLimits::note(const Key& key, Before* before) {
  const auto keep = [&](const std::string& authority) {
    if (before != nullptr) before->try_emplace(authority, limit_of(authority));
  };
  if (const auto known = known_.find(key); known != known_.end()) {
    keep(known->second.place->first);
    remove(known);
  }
  const store::EndpointPtr endpoint = catalogue_.endpoint(key.second);
  if (endpoint == nullptr || endpoint->deleted_at) return;
  const store::ApplicationPtr tenant = catalogue_.application(key.first);
  const std::string authority = authority_of(endpoint->url);
  keep(authority);
  enter(key, authority, in_flight_max_of(*endpoint, tenant.get(), defaults_));
}

void AuthorityLimits::enter(const Key& key, const std::string& authority, int in_flight_max) {
  Places::value_type& place = *places_.try_emplace(authority).first;
  ++place.second.endpoints;
  if (in_flight_max > cap_usual_) ++place.second.maxima[in_flight_max];
  known_.emplace(key, Known{&place, in_flight_max});
}

void AuthorityLimits::remove(std::map<Key, Known>::iterator known) {
  Place& place = known->second.place->second;
  --place.endpoints;
  const auto maximum = place.maxima.find(known->second.in_flight_max);
  if (maximum != place.maxima.end() && --maximum->second == 0) place.maxima.erase(maximum);
  if (place.endpoints == 0) places_.erase(places_.find(known->second.place->first));
  known_.erase(known);
}

engine::AuthorityLimit AuthorityLimits::limit_of(const std::string& authority) const {
  const auto found = places_.find(authority);
  return found == places_.end() ? usual() : limit_at(found->second);
}

engine::AuthorityLimit AuthorityLimits::limit_at(const Place& place) const {
  const int cap = place.maxima.empty() ? cap_usual_ : place.maxima.rbegin()->first;
  return {.cap = cap, .endpoints = std::min(place.endpoints, cap / 2 + 1)};
}

std::vector<LimitOf> AuthorityLimits::changed_since(const Before& before) const {
  std::vector<LimitOf> changed;
  for (const auto& [authority, limit] : before) {
    const engine::AuthorityLimit now = limit_of(authority);
    if (now != limit) changed.push_back({authority, now});
  }
  return changed;
}

}  // namespace petrel::node
