// What of a server needs a person's attention, in sentences that say since when and what helps.
//
//   The circuit of billing (acme) is open for 5m: the receiver answered 503. It is tried again in
//   20s. hook (acme) is paused for 2d: the receiver answered 410.
//     petrel endpoint resume acme hook
//
// Thread: any. Values.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/time.h"

namespace petrel::app {

struct Concern {
  std::string kind;  // circuit, paused, held, dead-letters, backlog, health or task
  std::string application = {};
  std::string endpoint = {};
  std::string text;
  std::string remedy = {};  // A command. Empty if nothing has to be done.
};

// What the API says of an endpoint: the application's and its own names, and its health.
struct EndpointSeen {
  std::string application;  // Uid, or id if it has none.
  std::string endpoint;
  JsonValue health;
};

// The gravest first; none if it does well.
std::vector<Concern> concerns_of(const EndpointSeen& seen, WallTime now);

// Of `GET /health`.
std::vector<Concern> concerns_of_server(const JsonValue& health);

// Of one application's line in `GET /dead-letter/count`, by whatever name it has. None if there are
// none.
std::optional<Concern> concern_of_dead(const JsonValue& tally, const std::string& application);

// How grave it is: 0 is the gravest.
int rank_of(const Concern& concern);

std::string to_json(const std::vector<Concern>& concerns);

}  // namespace petrel::app
