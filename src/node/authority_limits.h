// AuthorityLimits works out how many attempts the endpoints of one authority (scheme, host, port)
// may have in flight together: 32, or the largest maxInFlight among the endpoints that exist,
// whether they have anything to send or not; and how many of them there are, for each of which but
// one a place is kept. More than there are places for do not count.
//
// Thread: confined to the control loop, once load() is through.

#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/id.h"
#include "engine/core.h"
#include "node/lane_setup.h"
#include "store/catalogue.h"

namespace petrel::node {

struct LimitOf {
  std::string authority;
  engine::AuthorityLimit limit;

  friend bool operator==(const LimitOf&, const LimitOf&) = default;
};

class AuthorityLimits {
 public:
  // The catalogue and the defaults outlive it. What every authority may have: `cap_usual`.
  AuthorityLimits(const store::Catalogue& catalogue, const LaneDefaults& defaults, int cap_usual)
      : catalogue_(catalogue), defaults_(defaults), cap_usual_(cap_usual) {}

  // Every limit that is not the usual one, by the catalogue as it was just read.
  std::vector<LimitOf> load();

  // The catalogue shows a change: the limits that are others now.
  std::vector<LimitOf> endpoint_changed(EndpointId endpoint);
  std::vector<LimitOf> application_changed(ApplicationId application);

 private:
  using Key = std::pair<ApplicationId, EndpointId>;
  using Before = std::map<std::string, engine::AuthorityLimit>;  // By authority.

  // The endpoints of one authority.
  struct Place {
    int endpoints = 0;
    std::map<int, int> maxima;  // How many may have so many in flight, of those above the usual.
  };
  using Places = std::unordered_map<std::string, Place>;

  struct Known {
    Places::value_type* place;
    int in_flight_max = 0;
  };

  void note(const Key& key, Before* before);
  void enter(const Key& key, const std::string& authority, int in_flight_max);
  void remove(std::map<Key, Known>::iterator known);
  engine::AuthorityLimit usual() const { return {.cap = cap_usual_, .endpoints = 1}; }
  engine::AuthorityLimit limit_of(const std::string& authority) const;
  engine::AuthorityLimit limit_at(const Place& place) const;
  std::vector<LimitOf> changed_since(const Before& before) const;

  const store::Catalogue& catalogue_;
  const LaneDefaults& defaults_;
  const int cap_usual_;
  std::map<Key, Known> known_;
  Places places_;
};

}  // namespace petrel::node
