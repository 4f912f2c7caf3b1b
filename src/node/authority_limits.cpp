#include "node/authority_limits.h"

#include <algorithm>

#include "base/url.h"

namespace petrel::node {

std::vector<AuthorityCap> AuthorityLimits::load() {
  std::map<std::string, int> caps_before;
  for (const store::EndpointPtr& endpoint : catalogue_.all_endpoints()) {
    note(endpoint->id, caps_before);
  }
  return changed_since(caps_before);
}

std::vector<AuthorityCap> AuthorityLimits::endpoint_changed(EndpointId endpoint) {
  std::map<std::string, int> caps_before;
  note(endpoint, caps_before);
  return changed_since(caps_before);
}

std::vector<AuthorityCap> AuthorityLimits::application_changed(ApplicationId application) {
  std::map<std::string, int> caps_before;
  // Those that are gone with it are no longer among its endpoints.
  std::vector<EndpointId> affected;
  for (const auto& [id, known] : known_) {
    if (known.application == application) affected.push_back(id);
  }
  for (const store::EndpointPtr& endpoint : catalogue_.endpoints_of(application)) {
    affected.push_back(endpoint->id);
  }
  for (const EndpointId id : affected) note(id, caps_before);
  return changed_since(caps_before);
}

void AuthorityLimits::note(EndpointId id, std::map<std::string, int>& caps_before) {
  const store::EndpointPtr endpoint = catalogue_.endpoint(id);
  if (endpoint == nullptr || endpoint->deleted_at) return set(id, nullptr, caps_before);
  const store::ApplicationPtr tenant = catalogue_.application(endpoint->application);
  const int in_flight_max = in_flight_max_of(*endpoint, tenant.get(), defaults_);
  if (in_flight_max <= kCapUsual) return set(id, nullptr, caps_before);
  const Known known{endpoint->application, authority_of(endpoint->url), in_flight_max};
  set(id, &known, caps_before);
}

void AuthorityLimits::set(EndpointId id, const Known* known,
                          std::map<std::string, int>& caps_before) {
  const auto before = known_.find(id);
  if (before != known_.end()) {
    const std::string authority = before->second.authority;
    caps_before.try_emplace(authority, cap_of(authority));
    const auto place = maxima_.find(authority);
    place->second.erase(id);
    if (place->second.empty()) maxima_.erase(place);
    known_.erase(before);
  }
  if (known == nullptr) return;
  caps_before.try_emplace(known->authority, cap_of(known->authority));
  maxima_[known->authority][id] = known->in_flight_max;
  known_.emplace(id, *known);
}

int AuthorityLimits::cap_of(const std::string& authority) const {
  int cap = kCapUsual;
  const auto found = maxima_.find(authority);
  if (found == maxima_.end()) return cap;
  for (const auto& [id, in_flight_max] : found->second) cap = std::max(cap, in_flight_max);
  return cap;
}

std::vector<AuthorityCap> AuthorityLimits::changed_since(
    const std::map<std::string, int>& caps_before) const {
  std::vector<AuthorityCap> changed;
  for (const auto& [authority, before] : caps_before) {
    const int cap = cap_of(authority);
    if (cap != before) changed.push_back({authority, cap});
  }
  return changed;
}

}  // namespace petrel::node
