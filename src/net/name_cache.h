// NameCache remembers what names resolved to, for as long as the answer allows.
//
// The addresses of a name are kept for their time to live, but for at least a second and at most
// five minutes: a name server must not be able to make us ask for every attempt, nor to pin an old
// address. That a name has none is not kept: an attempt that counts rests on a question that was
// asked for it. When the cache is full, the name that was asked for longest ago goes.
//
// Thread: confined. Time is handed in, never read.

#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/ip_address.h"
#include "base/time.h"

namespace petrel::net {

// What came of asking for a name.
struct Resolution {
  enum class Kind {
    Found,
    NoSuchName,  // It does not exist, or has no address of either family: so said the name servers.
    Failed,      // They did not say: silence, a refusal, or anything else. That is a fault of ours.
    Shortage,    // We could not ask: out of descriptors or memory, or too many questions at once.
  };

  Kind kind = Kind::Failed;
  std::vector<IpAddress> addresses;  // In the order in which they should be tried.
  std::string_view why;              // In plain words, unless it was found.
  Duration wait{};                   // If it failed: how long the name is not asked for again.
};

using ResolutionPtr = std::shared_ptr<const Resolution>;

class NameCache {
 public:
  static constexpr Duration kKeptMin = std::chrono::seconds(1);
  static constexpr Duration kKeptMax = std::chrono::minutes(5);

  // REQUIRES: names_max >= 1.
  explicit NameCache(std::size_t names_max);

  // Null if it is not known, or no longer.
  ResolutionPtr find(const std::string& name, MonoTime now);

  // Nothing but addresses is kept: anything else takes what is known of the name away.
  void put(const std::string& name, ResolutionPtr resolution, Duration ttl, MonoTime now);

  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::string name;
    ResolutionPtr resolution;
    MonoTime kept_until;
  };
  using Entries = std::list<Entry>;

  void erase(Entries::iterator entry);

  std::size_t names_max_;
  Entries entries_;  // The one asked for last is in front.
  std::unordered_map<std::string, Entries::iterator> by_name_;
};

}  // namespace petrel::net
