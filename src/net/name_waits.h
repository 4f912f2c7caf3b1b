// NameWaits says for how long a name is not asked for again after our name servers failed for it:
// one second, then twice as long each time, up to a minute. Any answer starts over.
//
//   failed(name) → 1 s … failed(name) → 2 s … failed(name) → 4 s … answered(name) … → 1 s
//
// When there are too many names, the one that failed longest ago is forgotten.
//
// Thread: confined. Time is handed in, never read.

#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/time.h"

namespace petrel::net {

class NameWaits {
 public:
  static constexpr Duration kFirst = std::chrono::seconds(1);
  static constexpr Duration kLongest = std::chrono::seconds(60);

  // A name that was not asked for in so long after its wait starts over.
  static constexpr Duration kForgottenAfter = std::chrono::minutes(10);

  // REQUIRES: names_max >= 1.
  explicit NameWaits(std::size_t names_max) : names_max_(names_max) {}

  // How long the name still has to wait. Empty if it may be asked for.
  std::optional<Duration> left(const std::string& name, MonoTime now) const;

  // The name was asked for in vain. How long it has to wait now.
  Duration failed(const std::string& name, MonoTime now);

  void answered(const std::string& name);

  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::string name;
    MonoTime until;
    Duration wait;
  };
  using Entries = std::list<Entry>;

  std::size_t names_max_;
  Entries entries_;  // The one that failed last is in front.
  std::unordered_map<std::string, Entries::iterator> by_name_;
};

}  // namespace petrel::net
