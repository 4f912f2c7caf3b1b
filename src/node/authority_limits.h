// AuthorityLimits works out how many attempts the endpoints of one authority (scheme, host, port)
// may have in flight together: 32, or the largest maxInFlight among the endpoints that exist,
// whether they have anything to send or not.
//
// Only endpoints that may have more than 32 are kept count of.
//
// Thread: confined to the control loop, once load() is through.

#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/id.h"
#include "node/lane_setup.h"
#include "store/catalogue.h"

namespace petrel::node {

struct AuthorityCap {
  std::string authority;
  int cap = 0;

  friend bool operator==(const AuthorityCap&, const AuthorityCap&) = default;
};

class AuthorityLimits {
 public:
  static constexpr int kCapUsual = 32;

  // Both outlive it.
  AuthorityLimits(const store::Catalogue& catalogue, const LaneDefaults& defaults)
      : catalogue_(catalogue), defaults_(defaults) {}

  // Every cap that is not the usual one, by the catalogue as it was just read.
  std::vector<AuthorityCap> load();

  // The catalogue shows a change: the caps that are others now.
  std::vector<AuthorityCap> endpoint_changed(EndpointId endpoint);
  std::vector<AuthorityCap> application_changed(ApplicationId application);

 private:
  struct Known {
    ApplicationId application;
    std::string authority;
    int in_flight_max = 0;
  };

  void note(EndpointId id, std::map<std::string, int>& caps_before);
  void set(EndpointId id, const Known* known, std::map<std::string, int>& caps_before);
  int cap_of(const std::string& authority) const;
  std::vector<AuthorityCap> changed_since(const std::map<std::string, int>& caps_before) const;

  const store::Catalogue& catalogue_;
  const LaneDefaults& defaults_;
  std::unordered_map<EndpointId, Known> known_;
  std::unordered_map<std::string, std::map<EndpointId, int>> maxima_;  // By authority.
};

}  // namespace petrel::node
