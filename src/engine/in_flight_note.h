// InFlightNote is where a shard notes which deliveries have an attempt in flight, so that the next
// process knows what they were if this one crashes. A note has numbered places; a place is filled
// when an attempt begins and emptied when what became of it is on disk.
//
//   began(7, delivery) … ended(7)
//
// What earlier processes had noted when they crashed is uncounted() until counted() is called.
//
// Thread: began() and ended() on any, but for each place on one at a time; the rest before them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/delivery.h"

namespace petrel::engine {

// A delivery that was in flight when a process crashed.
struct CrashMark {
  model::DeliveryKey delivery;
  std::uint64_t life = 0;  // Which process it was.
  std::string version;     // Of that process.

  friend bool operator==(const CrashMark&, const CrashMark&) = default;
};

class InFlightNote {
 public:
  virtual ~InFlightNote() = default;

  virtual std::size_t places() const = 0;

  // REQUIRES: place < places().
  virtual void began(std::size_t place, const model::DeliveryKey& delivery) = 0;
  virtual void ended(std::size_t place) = 0;

  virtual std::vector<CrashMark> uncounted() const = 0;

  // They are on record now, and need not be told again. Thread: any.
  virtual void counted() = 0;
};

// Notes nothing.
class NoInFlightNote final : public InFlightNote {
 public:
  std::size_t places() const override { return 0; }
  void began(std::size_t /*place*/, const model::DeliveryKey& /*delivery*/) override {}
  void ended(std::size_t /*place*/) override {}
  std::vector<CrashMark> uncounted() const override { return {}; }
  void counted() override {}
};

}  // namespace petrel::engine
