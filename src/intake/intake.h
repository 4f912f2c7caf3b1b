// Intake takes messages in: it plans their deliveries, has them written, and answers only when they
// are on disk.
//
//   accept ─┐
//   accept ─┼─ end of this turn of the loop ─▶ Store::accept, once ─▶ accepted, then the answers
//   accept ─┘
//
// Whatever one turn of the loop brought is handed to the store at once: that is what makes a
// durable write cheap. Planning uses the catalogue in memory; nothing here waits for the disk.
//
// A message with an idempotency key is refused by the clock or by its schema only if the store does
// not know the key: what was accepted once is answered as it was then.
//
// What waits for the store is bounded, by number and by the memory budget, in which an application
// has a share. Beyond the bound a message is refused with Unavailable and nothing of it is kept.
//
// Thread: confined to one loop's thread. It must outlive the loop's last turn and the store's last
// answer.

#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/function.h"
#include "base/ksuid.h"
#include "base/loop.h"
#include "base/memory_budget.h"
#include "base/result.h"
#include "base/secure_random.h"
#include "intake/new_message.h"
#include "metric/metrics.h"
#include "model/settlement.h"
#include "store/catalogue.h"
#include "store/store.h"

namespace petrel::intake {

struct IntakeSettings {
  // Messages and bytes of payload that were handed over and are not on disk yet, per loop. A store
  // that stalls for a while fills them; producers then hear it instead of waiting.
  std::size_t pending_max = 10'000;
  std::size_t pending_bytes_max = 64 * 1024 * 1024;
};

// What the producer is told about a message that is on disk.
struct Receipt {
  model::Message message;
  model::Payload payload;

  // The idempotency key was known. The message has the id of the one that was accepted first, and
  // is like it but for the time and the endpoints, which the store knows.
  bool is_repeated = false;
};

// Who is told what the intake has brought to disk. Called on its loop's thread, once per commit.
class IntakeEvents {
 public:
  virtual ~IntakeEvents() = default;

  // Deliveries that are on disk now, before their producers hear of it.
  virtual void accepted(std::vector<model::DueDelivery> due) = 0;

  // These endpoints may have deliveries on disk that accepted() was not told of: the store's answer
  // was lost. Each stands here once, in no order.
  virtual void unsure(std::vector<EndpointId> endpoints) = 0;
};

class Intake {
 public:
  using Answer = Function<void(Result<Receipt>)>;

  struct Parts {
    store::Store& store;
    const store::Catalogue& catalogue;
    const Clock& clock;
    SecureRandom& random;
    metric::Metrics& metrics;
    Loop& loop;
    MemoryBudget& memory;
    IntakeEvents& events;
  };

  explicit Intake(const Parts& parts, IntakeSettings settings = {});
  Intake(const Intake&) = delete;
  Intake& operator=(const Intake&) = delete;

  // Answers on the loop's thread, at once if the message is refused and has no idempotency key.
  // Invalid names the field as it is called in JSON; Conflict if the event id is taken or the
  // idempotency key was used with another body; Unavailable if nothing is known to be written: the
  // producer may ask again.
  void accept(NewMessage message, Answer answer);

  // What waits for the store.
  std::size_t pending() const { return pending_; }

 private:
  // A payload with the right to have it in memory.
  struct HeldPayload {
    model::Payload bytes;
    MemoryHold hold;
  };
  struct Waiting {
    store::Acceptance acceptance;
    Answer answer;
    std::shared_ptr<HeldPayload> held;  // Shared with the acceptance's payload.
    std::optional<Error> refusal;       // The answer unless the message is repeated.
  };
  using Batch = std::vector<Waiting>;

  void flush();
  std::shared_ptr<HeldPayload> hold(const NewMessage& message);
  Status check(const NewMessage& message, WallTime now) const;
  Status check_schema(const NewMessage& message) const;
  void hand_over(Waiting waiting);
  void finish(Batch& batch, const Result<std::vector<store::Accepted>>& accepted);
  void fail(Batch& batch, const Error& error);
  static model::Payload payload_to_send(const Waiting& waiting);
  Result<Receipt> conclude(Waiting& waiting, const store::Accepted& accepted);

  Parts parts_;
  const IntakeSettings settings_;
  KsuidMaker maker_;
  Batch turn_;  // What this turn of the loop brought so far.
  std::size_t pending_ = 0;
  std::size_t pending_bytes_ = 0;
};

}  // namespace petrel::intake
