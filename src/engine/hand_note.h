// HandNote is an InFlightNote in memory that outlives the processes of a test or a simulation, as a
// file would.
//
//   note.crash("0.1.0")   the process has crashed with what it had noted
//   note.end()            the process is gone, however it ended
//
// Thread: confined.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/in_flight_note.h"

namespace petrel::engine {

class HandNote final : public InFlightNote {
 public:
  explicit HandNote(std::size_t places = 4096) : places_(places) {}

  std::size_t places() const override { return places_; }

  void began(std::size_t place, const model::DeliveryKey& delivery) override {
    noted_.insert_or_assign(place, delivery);
  }
  void ended(std::size_t place) override { noted_.erase(place); }

  std::vector<CrashMark> uncounted() const override { return uncounted_; }
  void counted() override { uncounted_.clear(); }

  void crash(const std::string& version) {
    for (const auto& [place, delivery] : noted_) uncounted_.push_back({delivery, life_, version});
  }

  void end() {
    noted_.clear();
    ++life_;
  }

  // By place.
  const std::map<std::size_t, model::DeliveryKey>& noted() const { return noted_; }

 private:
  std::size_t places_;
  std::uint64_t life_ = 1;
  std::map<std::size_t, model::DeliveryKey> noted_;
  std::vector<CrashMark> uncounted_;
};

}  // namespace petrel::engine
