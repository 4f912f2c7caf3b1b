#include "engine/payload_shelf.h"

#include <algorithm>
#include <utility>

namespace petrel::engine {
namespace {

// The bytes with the right to have them.
struct Held {
  std::string bytes;
  MemoryHold hold;
};

}  // namespace

MemoryAccountPtr PayloadShelf::account_of(ApplicationId application, std::size_t bytes) const {
  return bytes < MemoryBudget::kNamedMin ? nullptr : memory_->account(application.text());
}

bool PayloadShelf::has_room(ApplicationId application, std::size_t bytes) {
  return memory_->has_room(MemoryUse::Payloads, bytes, account_of(application, bytes).get());
}

void PayloadShelf::note_put_off(ApplicationId application, std::size_t bytes) {
  memory_->note_refused(MemoryUse::Payloads, account_of(application, bytes).get());
}

void PayloadShelf::put(MessageId message, const model::Payload& payload,
                       const std::string& content_type) {
  if (payload->size() < kShelvedMin) return;
  shelve(message, {.bytes = payload, .content_type = content_type}, std::nullopt, edition_.load());
}

store::LoadedPayload PayloadShelf::find(MessageId message, WallTime now) {
  return places_.with([&](Places& places) -> store::LoadedPayload {
    const auto found = places.of.find(message);
    if (found == places.of.end()) return {};
    const Place& place = found->second;
    if (place.expires_at && *place.expires_at <= now) return {};
    model::Payload bytes = place.bytes.lock();
    if (bytes == nullptr) return {};
    return {.bytes = std::move(bytes), .content_type = place.content_type};
  });
}

store::LoadedPayload PayloadShelf::keep(MessageId message, const store::ReadPayload& read,
                                        std::uint64_t read_since) {
  const std::size_t size = read.content.size();
  MemoryHold hold = memory_->take(MemoryUse::Payloads, size, account_of(read.application, size));
  // What is small is bounded by the slots: it never waits for what others have in memory.
  if (!hold && size < kShelvedMin) hold = memory_->take_anyway(MemoryUse::Payloads, size);
  if (!hold) return {.no_room_for = size};
  const auto held = std::make_shared<Held>(Held{std::string(read.content), std::move(hold)});
  store::LoadedPayload loaded{.bytes = model::Payload(held, &held->bytes),
                              .content_type = std::string(read.content_type)};
  if (size < kShelvedMin) return loaded;
  return shelve(message, std::move(loaded), read.expires_at, read_since);
}

store::LoadedPayload PayloadShelf::shelve(MessageId message, store::LoadedPayload loaded,
                                          const std::optional<WallTime>& expires_at,
                                          std::uint64_t read_since) {
  return places_.with([&](Places& places) {
    if (edition_.load() != read_since) return std::move(loaded);
    Place& place = places.of[message];
    if (model::Payload there = place.bytes.lock()) {
      loaded.bytes = std::move(there);
      return std::move(loaded);
    }
    place = {loaded.bytes, loaded.content_type, expires_at};
    if (places.of.size() > places.look_at) {
      std::erase_if(places.of, [](const auto& each) { return each.second.bytes.expired(); });
      places.look_at = std::max<std::size_t>(64, 2 * places.of.size());
    }
    return std::move(loaded);
  });
}

void PayloadShelf::forget(MessageId message) {
  places_.with([&](Places& places) {
    ++edition_;
    places.of.erase(message);
  });
}

}  // namespace petrel::engine
