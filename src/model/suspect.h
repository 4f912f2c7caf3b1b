// Suspect is a delivery that had an attempt in flight when the server crashed, perhaps because of
// it. The first crash is only remembered; after the second in a row it is sent alone; after the
// third it is held, until a person releases it or a newer version of the server starts.
//
// "In a row" is counted for each delivery: no attempt of it has ended between those crashes.
//
// Thread: any. A value.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"
#include "model/delivery.h"

namespace petrel::model {

struct Suspect {
  DeliveryKey delivery;
  ApplicationId application{};

  int crashes = 0;        // In a row.
  std::uint64_t life{};   // The last process that crashed with it in flight.
  WallTime crashed_at{};  // When that was noticed, by the next one.
  std::string version{};  // Of the server that crashed, or that it was released for.

  // The delivery's count of attempts at that time. If it has more, or is not live any more, an
  // attempt of it has ended since, and there is nothing against it.
  int attempts_total = 0;

  // While it is held: since when, and the same on its endpoint's clock of give-up times, which
  // stands still while the endpoint is switched off.
  struct Held {
    WallTime since;
    WallTime since_unpaused;

    friend bool operator==(const Held&, const Held&) = default;
  };
  std::optional<Held> held = std::nullopt;

  friend bool operator==(const Suspect&, const Suspect&) = default;
};

}  // namespace petrel::model
