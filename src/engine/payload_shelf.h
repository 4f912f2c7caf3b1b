// PayloadShelf has the payloads that this process is about to send, each once, however many
// endpoints it goes to, and no more of them than the memory budget has room for.
//
//   accepted ──put──▶ ┌───────┐ ◀──find── a lane whose turn it is
//   read ─────keep──▶ │ shelf │
//                     └───────┘ holds none itself: a payload goes when the last that sends it does
//
// Small ones are not shelved: a copy of them costs less than looking for it.
//
// Thread: safe.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/guarded.h"
#include "base/memory_budget.h"
#include "model/message.h"
#include "store/payload_keeper.h"

namespace petrel::engine {

class PayloadShelf final : public store::PayloadKeeper {
 public:
  static constexpr std::size_t kShelvedMin = 4096;

  explicit PayloadShelf(std::shared_ptr<MemoryBudget> memory) : memory_(std::move(memory)) {}

  // One that was accepted, whose bytes are held in the budget already. Not for one that expires.
  void put(MessageId message, const model::Payload& payload, const std::string& content_type);

  store::LoadedPayload find(MessageId message, WallTime now) override;
  store::LoadedPayload keep(MessageId message, const store::ReadPayload& read,
                            std::uint64_t read_since) override;
  std::uint64_t edition() const override { return edition_.load(); }

  // It was expunged: nobody finds it here any more.
  void forget(MessageId message);

  // Whether a payload of so many bytes may be read now.
  bool has_room(ApplicationId application, std::size_t bytes);

  // One has to wait for room. See MemoryBudget::when_freed().
  void note_put_off(ApplicationId application, std::size_t bytes);
  void when_freed(Function<void()> tell) { memory_->when_freed(std::move(tell)); }

 private:
  struct Place {
    std::weak_ptr<const std::string> bytes;
    std::string content_type;
    std::optional<WallTime> expires_at;
  };
  struct Places {
    std::unordered_map<MessageId, Place> of;
    std::size_t look_at = 64;  // How many there are when those that are gone are swept out.
  };

  // Null for what is too small to have one.
  MemoryAccountPtr account_of(ApplicationId application, std::size_t bytes) const;

  // What is there if another was faster, else what was given.
  store::LoadedPayload shelve(MessageId message, store::LoadedPayload loaded,
                              const std::optional<WallTime>& expires_at, std::uint64_t read_since);

  const std::shared_ptr<MemoryBudget> memory_;
  std::atomic<std::uint64_t> edition_{0};
  Guarded<Places> places_;
};

}  // namespace petrel::engine
