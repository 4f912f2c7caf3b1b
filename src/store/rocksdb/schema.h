// The column families of the embedded store and the keys in them.
//
//   family               key                                   value
//   default              name                                  the store's own facts
//   application          application                           record
//   endpoint             endpoint                              record
//   uid                  kind owner text                       the id that has this name
//   message              application message                   record
//   payload              message                               application, expiry, the exact bytes
//   delivery             endpoint message                      record
//   due                  endpoint class due_at message         –          exactly the live ones
//   attempt              message attempt                       record
//   attempt_by_endpoint  endpoint attempt                      message, how it ended
//   dead                 application endpoint died_at message   –          exactly the dead ones
//   idempotency          hash                                  body hash, expiry, message or answer
//   event_type           organisation name                     record
//   revoked              hash of a token                       expiry
//   lane                 endpoint                              what a restart must not forget
//   tally                endpoint [kind time]                  numbers; see tally_key.h
//                        a commit's number                     those that it changed;
//                        tally_journal.h
//   task                 organisation task                     record
//   suspect              endpoint message                      record: in flight at a crash
//   retention            'c' application                       how far the purge has come
//                        'k' look_at application message       –          to be looked at again
//
// Ids and times stand highest byte first, so keys sort by time within their owner and every list is
// one range. A message with one endpoint that is delivered at once costs eight puts and a delete's
// worth of log: four to accept it, four to settle it. Each commit puts its tallies once.
//
// Thread: any. Values.

#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <rocksdb/slice.h>

#include "base/id.h"
#include "base/time.h"
#include "model/delivery.h"
#include "store/browse.h"
#include "store/store.h"

namespace petrel::store {

enum class Family : std::uint8_t {
  Meta,
  Application,
  Endpoint,
  Uid,
  Message,
  Payload,
  Delivery,
  Due,
  Attempt,
  AttemptByEndpoint,
  Dead,
  Idempotency,
  EventType,
  Revoked,
  Lane,
  Tally,
  Task,
  Suspect,
  Retention,
};

inline constexpr std::array<const char*, 19> kFamilyNames = {
    "default", "application", "endpoint",   "uid",      "message",
    "payload", "delivery",    "due",        "attempt",  "attempt_by_endpoint",
    "dead",    "idempotency", "event_type", "revoked",  "lane",
    "tally",   "task",        "suspect",    "retention"};

// A key of ids and times, built without touching the heap.
class Key {
 public:
  template <typename Kind>
  Key& id(const Id<Kind>& value) {
    return ksuid(value.ksuid());
  }

  Key& ksuid(const Ksuid& value) {
    std::memcpy(bytes_.data() + size_, value.bytes().data(), Ksuid::kBytes);
    size_ += Ksuid::kBytes;
    return *this;
  }

  Key& byte(std::uint8_t value) {
    bytes_[size_++] = static_cast<char>(value);
    return *this;
  }

  // With the sign bit flipped, so that times before 1970 sort before the others.
  Key& time(WallTime value) {
    const auto count = static_cast<std::uint64_t>(value.time_since_epoch().count());
    const std::uint64_t bits = count ^ (std::uint64_t{1} << 63U);
    for (unsigned shift = 64; shift > 0; shift -= 8) {
      byte(static_cast<std::uint8_t>(bits >> (shift - 8)));
    }
    return *this;
  }

  rocksdb::Slice slice() const { return {bytes_.data(), size_}; }
  std::string text() const { return {bytes_.data(), size_}; }

 private:
  static constexpr std::size_t kBytesMax = 3 * Ksuid::kBytes + sizeof(std::uint64_t);

  std::array<char, kBytesMax> bytes_;
  std::size_t size_ = 0;
};

inline Key message_key(ApplicationId application, MessageId message) {
  return Key().id(application).id(message);
}

inline Key delivery_key(const model::DeliveryKey& key) {
  return Key().id(key.endpoint).id(key.message);
}

inline Key due_prefix(EndpointId endpoint, DueClass queue) {
  return Key().id(endpoint).byte(static_cast<std::uint8_t>(queue));
}

inline Key due_key(EndpointId endpoint, DueClass queue, const DuePosition& position) {
  return due_prefix(endpoint, queue).time(position.due_at).id(position.message);
}

inline Key attempt_key(MessageId message, AttemptId attempt) {
  return Key().id(message).id(attempt);
}

inline Key attempt_by_endpoint_key(EndpointId endpoint, AttemptId attempt) {
  return Key().id(endpoint).id(attempt);
}

inline Key dead_key(ApplicationId application, const DeadPosition& position) {
  return Key().id(application).id(position.endpoint).time(position.died_at).id(position.message);
}

inline Key task_key(OrganisationId organisation, TaskId task) {
  return Key().id(organisation).id(task);
}

inline Key purge_cursor_key(ApplicationId application) { return Key().byte('c').id(application); }

// Where all that is to be looked at again stands, by its time.
inline constexpr std::string_view kAgainPrefix = "k";

inline Key again_key(WallTime look_at, ApplicationId application, MessageId message) {
  return Key().byte('k').time(look_at).id(application).id(message);
}

// Names that are unique within an owner.
enum class UidKind : std::uint8_t { Application = 'a', Endpoint = 'e', EventId = 'v' };

template <typename Kind>
std::string uid_key(UidKind kind, const Id<Kind>& owner, std::string_view text) {
  std::string key(1, static_cast<char>(kind));
  key.append(reinterpret_cast<const char*>(owner.ksuid().bytes().data()), Ksuid::kBytes);
  key.append(text);
  return key;
}

inline std::string event_type_key(OrganisationId organisation, std::string_view name) {
  return Key().id(organisation).slice().ToString().append(name);
}

// The id that stands at `offset` of a key or a value. Zeros if it does not fit in.
inline Ksuid ksuid_at(const rocksdb::Slice& bytes, std::size_t offset) {
  Ksuid::Bytes found{};
  if (offset + found.size() <= bytes.size()) {
    std::memcpy(found.data(), bytes.data() + offset, found.size());
  }
  return Ksuid(found);
}

// The id that a key ends with.
inline Ksuid last_ksuid_of(const rocksdb::Slice& key) {
  return key.size() < Ksuid::kBytes ? Ksuid() : ksuid_at(key, key.size() - Ksuid::kBytes);
}

// The time that stands at `offset` of a key.
inline WallTime time_at(const rocksdb::Slice& key, std::size_t offset) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < sizeof bits && offset + i < key.size(); ++i) {
    bits = bits << 8U | static_cast<std::uint8_t>(key[offset + i]);
  }
  return WallTime(Duration(static_cast<std::int64_t>(bits ^ (std::uint64_t{1} << 63U))));
}

inline std::string_view view(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

inline rocksdb::Slice slice(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace petrel::store
