// Endpoint is a destination: a URL with its secret, filters and policy.
//
// Thread: any. A value.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/id.h"
#include "base/time.h"
#include "model/application.h"
#include "model/held_time.h"
#include "policy/guards.h"
#include "policy/retry_policy.h"
#include "signature/key_ring.h"

namespace petrel::model {

// Kept through pauses and restarts, for as long as the endpoint is paused.
struct Pause {
  WallTime since;
  std::string why;  // In plain words: "the receiver answered 410".

  friend bool operator==(const Pause&, const Pause&) = default;
};

struct Endpoint {
  explicit Endpoint(signature::KeyRing ring) : keys(std::move(ring)) {}

  EndpointId id;
  ApplicationId application;
  std::string uid;  // The producer's own name for it, unique in the application. May be empty.
  std::string url;
  std::string description;
  std::vector<std::string> event_types;  // Empty: all of them.
  std::vector<std::string> channels;     // Empty: any message, also one without channels.
  std::vector<std::pair<std::string, std::string>> headers;
  Metadata metadata;
  signature::KeyRing keys;

  // No message makes a delivery for it any more, and the ones that it has are held.
  bool is_disabled = false;

  // Messages go on making deliveries; all of them are held.
  std::optional<Pause> pause;

  // For how long it was kept from sending; see engine/settling.h. Kept up by every change to it.
  HeldTime held;

  std::optional<int> throttle_rate;
  std::optional<int> in_flight_max;
  std::optional<Duration> timeout;
  std::optional<policy::RetryPolicy> retry_policy;
  std::optional<policy::Guards> guards;

  // For its TLS, each empty if there is none: whom to trust instead of the usual authorities, and
  // what to show the receiver.
  std::string ca_pem;
  std::string client_certificate_pem;
  std::string client_key_pem;

  WallTime created_at;
  WallTime updated_at;

  // Its record stays for a while: attempts name it, and its live deliveries have to be ended.
  std::optional<WallTime> deleted_at;

  bool may_send() const { return !is_disabled && !pause && !deleted_at; }

  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

// One version of an endpoint. A change makes another one; who holds this one goes on with it.
using EndpointPtr = std::shared_ptr<const Endpoint>;

// Whether a message of this type on these channels is for this endpoint. A message without channels
// does not reach an endpoint that has some.
bool wants(const Endpoint& endpoint, const std::string& event_type,
           const std::vector<std::string>& channels);

}  // namespace petrel::model
