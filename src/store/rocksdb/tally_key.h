// Where the numbers of store/tally.h stand in the family `tally`, and what they are.
//
//   key                     numbers
//   endpoint                fresh, retrying, the hour that is open, its successes, its failures
//   endpoint 'h' hour       successes, failures            of an hour before the open one
//   endpoint 'd' day        the dead, by reason            of messages that were accepted that day
//   application 'a'         messages, payloads, payload bytes
//   zeros 'a'               the same, of all applications
//
// The open hour stands with the endpoint so that an attempt changes one place and not two. The dead
// are counted by the day of their message; a day without any has no entry.
//
// Thread: any. Values.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "store/encoding.h"
#include "store/rocksdb/schema.h"

namespace petrel::store {

struct TallyKey {
  enum class Kind : std::uint8_t { Endpoint = 0, Hour = 'h', Day = 'd', Kept = 'a' };

  EndpointId endpoint;  // Of Kind::Kept: the application's id, or none.
  Kind kind = Kind::Endpoint;
  WallTime begins = {};  // Of an hour or a day.

  Key key() const {
    Key made = Key().id(endpoint);
    if (kind != Kind::Endpoint) made.byte(static_cast<std::uint8_t>(kind)).time(begins);
    return made;
  }

  friend bool operator==(const TallyKey&, const TallyKey&) = default;
};

struct TallyKeyHash {
  std::size_t operator()(const TallyKey& key) const noexcept {
    const auto begins = static_cast<std::size_t>(key.begins.time_since_epoch().count());
    return std::hash<EndpointId>()(key.endpoint) + begins * 31 + static_cast<std::size_t>(key.kind);
  }
};

struct TallyEntry {
  TallyKey key;
  TallyCounts counts{};

  friend bool operator==(const TallyEntry&, const TallyEntry&) = default;
};

using TallyEntries = std::vector<TallyEntry>;

// The places of an endpoint's own numbers.
enum TallyPlace : std::size_t { kFresh, kRetrying, kOpenHour, kOpenSuccess, kOpenFailed };

// The places of what is kept of an application.
enum KeptPlace : std::size_t { kMessages, kPayloads, kPayloadBytes };

inline TallyKey kept_key(std::optional<ApplicationId> application) {
  const Ksuid id = application ? application->ksuid() : Ksuid();
  return {EndpointId(id), TallyKey::Kind::Kept};
}

// An hour as a number in its place, and back. 0 is no hour.
inline std::uint64_t hour_number(WallTime hour) {
  return static_cast<std::uint64_t>(
      std::chrono::floor<std::chrono::hours>(hour.time_since_epoch()).count());
}

inline WallTime hour_from_number(std::uint64_t number) {
  return WallTime(std::chrono::hours(static_cast<std::int64_t>(number)));
}

inline WallTime day_of(MessageId message) {
  return std::chrono::time_point_cast<Duration>(
      std::chrono::floor<std::chrono::days>(message.time()));
}

}  // namespace petrel::store
