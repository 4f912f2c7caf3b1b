// PayloadKeeper is where the payloads go that a store reads: who asks for them says what is in
// memory already, and whether there is room for more.
//
//   find(message)        in memory already: it is not read
//   keep(message, …)     the bytes that were read, as they are kept; or no room, and they are
//   dropped
//
// Thread: find() and keep() on any, as stores read on threads of their own.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/id.h"
#include "base/time.h"
#include "model/message.h"

namespace petrel::store {

// A payload as it is sent.
struct LoadedPayload {
  model::Payload bytes = nullptr;  // Null if it was expunged or has expired, or is damaged.
  std::string content_type = {};   // Empty: application/json.
  bool is_damaged = false;         // It is stored, and cannot be read.

  // There is no room for it now: so many bytes. Then `bytes` is null.
  std::optional<std::size_t> no_room_for = {};

  friend bool operator==(const LoadedPayload&, const LoadedPayload&) = default;
};

// As it lies on the disk, for as long as the question lasts.
struct ReadPayload {
  ApplicationId application;
  std::string_view content;
  std::string_view content_type;
  std::optional<WallTime> expires_at;
};

class PayloadKeeper {
 public:
  virtual ~PayloadKeeper() = default;

  // Without bytes if it is not in memory, or not any more at `now`.
  virtual LoadedPayload find(MessageId message, WallTime now) = 0;

  // `read_since` is what edition() said before the reading began.
  virtual LoadedPayload keep(MessageId message, const ReadPayload& read,
                             std::uint64_t read_since) = 0;

  // Grows when something is expunged: what was being read at that moment may be just that.
  virtual std::uint64_t edition() const = 0;
};

// Keeps a copy of everything that is read: for tools and tests.
class CopyingKeeper final : public PayloadKeeper {
 public:
  LoadedPayload find(MessageId, WallTime) override { return {}; }
  LoadedPayload keep(MessageId, const ReadPayload& read, std::uint64_t) override {
    return {.bytes = std::make_shared<const std::string>(read.content),
            .content_type = std::string(read.content_type)};
  }
  std::uint64_t edition() const override { return 0; }
};

}  // namespace petrel::store
