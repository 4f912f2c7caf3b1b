// Catalogue is what may hold for every endpoint at every moment, from what people asked and were
// told: its settings, whether it exists and whether it is paused.
//
//   between(endpoint, from, to)    every reading that may have held at some moment in between
//
// Changes count from their answer; between request and answer old and new both hold.
//
// Thread: confined.

#pragma once

#include <map>
#include <optional>
#include <vector>

#include "base/id.h"
#include "base/time.h"
#include "sim/judge/evidence.h"
#include "sim/judge/settings_reading.h"
#include "sim/judge/versions.h"

namespace petrel::sim::judge {

// One reading, and when it may have held.
struct Possible {
  Settings settings;
  bool exists = false;
  bool is_paused = false;
  MonoTime from{};
  MonoTime until = MonoTime::max();

  bool may_send() const { return exists && !is_paused && !settings.is_disabled; }
};

struct HeldBounds {
  Duration shortest{};
  Duration longest{};
};

class Catalogue {
 public:
  void asked(const Asked& asked, MonoTime now);

  // 2xx or 4xx; or, later, what was seen to have become of it. REQUIRES: it was asked.
  void told(std::uint64_t number, bool has_happened, MonoTime now);

  const std::vector<EndpointId>& endpoints_of(ApplicationId application) const;
  const std::vector<EndpointId>& endpoints() const { return all_; }
  std::optional<ApplicationId> application_of(EndpointId endpoint) const;

  // Oldest first. Empty if there never was such an endpoint.
  std::vector<const Possible*> between(EndpointId endpoint, MonoTime from, MonoTime to) const;
  std::vector<const Possible*> at(EndpointId endpoint, MonoTime now) const {
    return between(endpoint, now, now);
  }

  bool may_send(EndpointId endpoint, MonoTime now) const;
  bool must_send(EndpointId endpoint, MonoTime now) const;
  bool must_exist(EndpointId endpoint, MonoTime now) const;
  bool may_exist(EndpointId endpoint, MonoTime now) const;

  // For how long the endpoint was kept from sending: the give-up clock stood still.
  HeldBounds held(EndpointId endpoint, MonoTime from, MonoTime to) const;

 private:
  struct File {
    ApplicationId application;
    Versions versions = {};
    std::vector<Possible> history = {};
  };

  void refresh(File& file, MonoTime now) const;
  void refresh_all(std::optional<ApplicationId> application, MonoTime now);
  Versions* versions_of(const Asked& asked);
  void apply(const Asked& asked, MonoTime now);

  Versions server_;
  std::map<ApplicationId, Versions> applications_;
  std::map<EndpointId, File> endpoints_;
  std::map<ApplicationId, std::vector<EndpointId>> by_application_;
  std::vector<EndpointId> all_;
  std::map<std::uint64_t, Asked> asked_;  // Without their JSON.
};

// Whether the act changes what the catalogue holds.
bool is_change(Act act);

}  // namespace petrel::sim::judge
