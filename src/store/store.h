// Store keeps what must not be lost: messages, deliveries and their attempts, and the applications
// and endpoints that they belong to.
//
// This is its writing half and what the engine reads; Browse (browse.h) is what people read. Both
// speak of the domain and in batches: what one turn of an event loop produced is handed over at
// once, and the store joins whatever has accumulated into one durable commit.
//
//   accept    a message with its deliveries; answered only when it is on disk
//   settle    what became of a delivery after an attempt
//   load_due  the next live deliveries of an endpoint, by their due time
//   change    applications, endpoints, event types and what people expunge, several at once
//   purge     drops what is past its retention, a step at a time
//
// Each verb is answered exactly once, by a callback on a thread of the store's own: it must only
// hand the answer over to where it belongs. Unavailable means that nothing is known to have
// happened: settling the same settlement again, or accepting a message of the same id again, is
// safe and ends in the same state.
//
// Thread: safe.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/function.h"
#include "base/id.h"
#include "base/result.h"
#include "base/time.h"
#include "model/application.h"
#include "model/attempt.h"
#include "model/delivery.h"
#include "model/endpoint.h"
#include "model/message.h"
#include "model/settlement.h"
#include "store/change.h"
#include "store/condition.h"
#include "store/payload_keeper.h"
#include "store/purge.h"

namespace petrel::store {

// The two queues of a lane. A delivery is Fresh while it is Pending and Retry while it is Retrying.
enum class DueClass : std::uint8_t { Fresh, Retry };

DueClass due_class(model::DeliveryState state);

// Where a delivery stands in its queue: by due time, then by message.
struct DuePosition {
  WallTime due_at;
  MessageId message;

  friend auto operator<=>(const DuePosition&, const DuePosition&) = default;
};

struct DueQuery {
  EndpointId endpoint;
  DueClass queue = DueClass::Fresh;
  std::optional<DuePosition> after = {};  // Only what stands behind it.
  std::size_t limit = 64;
};

// How far the store had come: grows with every commit. A page of this sequence shows what every
// commit up to it left.
using Sequence = std::uint64_t;

struct DuePage {
  std::vector<model::Delivery> deliveries;  // In the order of their positions.
  Sequence sequence = 0;                    // When it was read.
  bool has_more = false;                    // There are others behind the last one.
};

// The idempotency key that a message came with; the message is the answer that is kept under it.
struct IdempotentAnswer {
  std::string key;  // A hash over who asked, what for, and the key that was sent.
  std::string body_hash;
  WallTime expires_at;
};

struct Acceptance {
  model::Message message;
  model::Payload payload;
  std::vector<model::Delivery> deliveries;  // All of them Pending.
  std::optional<IdempotentAnswer> idempotent;

  // Only asks whether the idempotency key is known: a message that would be new is not written.
  bool only_if_repeated = false;
};

// What became of one acceptance.
struct Accepted {
  enum class Kind : std::uint8_t {
    New,        // On disk now.
    Repeated,   // The idempotency key is known, with the same body: `message` is the first one's.
    KeyReused,  // The idempotency key is known, with another body or for something else than a
                // message. Nothing was written.
    EventIdTaken,  // Another message of the application has this event id. Nothing was written.
    NotRepeated,   // It was to be accepted only if repeated, and is not. Nothing was written.
    Damaged,       // What is stored and would have to be known cannot be read. Nothing was written.
  };
  Kind kind = Kind::New;
  MessageId message;
  Sequence sequence = 0;  // The commit that it is in.
};

// What became of one settlement.
enum class Settled : std::uint8_t {
  // The delivery is stored as the settlement says. So it is answered too if an earlier commit,
  // whose end was unknown, had written it already.
  Written,

  // What it says of the attempt is on disk, but the delivery stands elsewhere: it was given another
  // due time, or brought back, while the settlement was on its way. Look again.
  Moved,

  // Nothing of it was written: the delivery was settled or replayed otherwise, or is gone. Look
  // again.
  Superseded,
};

// What a change set meets: Conflict if a uid or the idempotency key is taken, NotFound if the thing
// that it changes is gone.
using ChangeDone = Function<void(Status)>;

// Writes take effect in the order in which they are handed over: what a lane keeps of itself goes
// with its settlements, and the last one counts.
class Store {
 public:
  virtual ~Store() = default;

  using AcceptDone = Function<void(Result<std::vector<Accepted>>)>;

  // Durable before it is answered. One answer per acceptance, in their order.
  virtual void accept(std::vector<Acceptance> batch, AcceptDone done) = 0;

  using SettleDone = Function<void(Result<std::vector<Settled>>)>;

  // Writes the attempts, the new states, and the due index. One answer per settlement, in their
  // order. An attempt's settlement takes effect although a resend has changed the delivery's due
  // time meanwhile: a success ends the delivery, and what is to be tried again is due when the
  // resend says. See settlement_effect.h for the whole rule.
  virtual void settle(std::vector<model::Settlement> batch, SettleDone done) = 0;

  virtual void load_due(DueQuery query, Function<void(Result<DuePage>)> done) = 0;

  using PayloadsDone = Function<void(Result<std::vector<LoadedPayload>>)>;

  // The payloads of these messages, in their order, as `keeper` has them or takes them, which
  // outlives the answer: all that are stored. What is live keeps its payload, also if the message
  // gave that a period which is over.
  virtual void load_payloads(std::vector<MessageId> messages, PayloadKeeper& keeper,
                             PayloadsDone done) = 0;

  // The endpoints that have live deliveries: what a starting server has to take up.
  virtual Result<std::vector<EndpointId>> endpoints_with_live() = 0;

  // All of the set, or nothing; durable before it is answered. If something is known already under
  // the key of its answer and has not expired, the set is a Conflict: Browse::kept_answer() says
  // what.
  virtual void change(ChangeSet set, ChangeDone done) = 0;

  using PurgeDone = Function<void(Result<Purged>)>;

  // One step of dropping what is past its retention; see purge.h. Whole or not at all; durable
  // before it is answered. What others changed while it looked stays, and is looked at again. One
  // step at a time: Unavailable while another is under way.
  virtual void purge(PurgeOrder order, PurgeDone done) = 0;

  // How the store is, as far as it knows: it does not touch the disk for this.
  virtual StoreCondition condition() const { return {}; }

  // Has the store show that it still takes writes, and answers with its condition then. If nothing
  // was written within the last second, it makes a small durable write of its own; if that is
  // refused, the answer is that it takes no writes, and why. A disk that hangs does not answer: the
  // caller has a deadline of its own, and condition() meanwhile.
  virtual void prove(Function<void(StoreCondition)> done) { done(condition()); }
};

}  // namespace petrel::store
