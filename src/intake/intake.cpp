#include "intake/intake.h"

#include <unordered_set>
#include <utility>

#include "base/check.h"
#include "base/try.h"
#include "intake/schema_check.h"

namespace petrel::intake {

Intake::Intake(const Parts& parts, IntakeSettings settings)
    : parts_(parts), settings_(settings), maker_(parts_.random) {}

// A message for one endpoint alone is a trial by its owner, and goes whatever the schema says.
Status Intake::check_schema(const NewMessage& message) const {
  if (message.only || !message.content_type.empty()) return Done{};
  const store::ApplicationPtr application = parts_.catalogue.application(message.application);
  if (application == nullptr) return Done{};
  const store::EventTypePtr type =
      parts_.catalogue.find_event_type(application->organisation, message.event_type);
  return type == nullptr ? Status(Done{}) : check_payload(*type, *message.payload);
}

// What may come out otherwise when the same message is sent again.
Status Intake::check(const NewMessage& message, WallTime now) const {
  TRY(check_schema(message));
  return validate_times(message, now);
}

void Intake::accept(NewMessage message, Answer answer) {
  CHECK(message.payload != nullptr);
  const std::size_t bytes = message.payload->size();
  if (pending_ >= settings_.pending_max || pending_bytes_ + bytes > settings_.pending_bytes_max) {
    return answer(unavailable("too many messages wait to be written; try again in a moment"));
  }
  if (const Status status = validate_fields(message); !status.ok()) return answer(status.error());
  auto held = hold(message);
  if (held == nullptr) {
    return answer(unavailable("too much is being taken in at the moment; try again shortly"));
  }
  message.payload = model::Payload(held, held->bytes.get());
  const WallTime now = parts_.clock.wall();
  if (const Status status = check(message, now); !status.ok()) {
    if (!message.idempotent) return answer(status.error());
    return hand_over({ask_for_first_answer(std::move(message), now, maker_), std::move(answer),
                      std::move(held), status.error()});
  }
  const auto endpoints = parts_.catalogue.endpoints_of(message.application);
  Result<store::Acceptance> planned = plan(std::move(message), endpoints, now, maker_);
  if (!planned.ok()) return answer(planned.error());
  hand_over({*std::move(planned), std::move(answer), std::move(held), std::nullopt});
}

// Null if there is no room for it.
std::shared_ptr<Intake::HeldPayload> Intake::hold(const NewMessage& message) {
  const std::size_t bytes = message.payload->size();
  MemoryAccountPtr account;
  if (bytes >= MemoryBudget::kNamedMin) {
    account = parts_.memory.account(message.application.text());
  }
  MemoryHold hold = parts_.memory.take(MemoryUse::Messages, bytes, account);
  if (!hold) {
    parts_.memory.note_refused(MemoryUse::Messages, account.get());
    return nullptr;
  }
  return std::make_shared<HeldPayload>(HeldPayload{message.payload, std::move(hold)});
}

// Null if it has to be read again when it is sent: because there is no room for it until then, or
// because it expires and may be gone by then.
model::Payload Intake::payload_to_send(const Waiting& waiting) {
  const store::Acceptance& acceptance = waiting.acceptance;
  if (acceptance.message.payload_expires_at || acceptance.deliveries.empty()) return nullptr;
  return waiting.held->hold.turn_into(MemoryUse::Payloads) ? acceptance.payload : nullptr;
}

void Intake::hand_over(Waiting waiting) {
  if (turn_.empty()) parts_.loop.post([this] { flush(); });
  pending_ += 1;
  pending_bytes_ += waiting.acceptance.payload->size();
  turn_.push_back(std::move(waiting));
}

void Intake::flush() {
  Batch batch = std::exchange(turn_, {});
  std::vector<store::Acceptance> acceptances;
  acceptances.reserve(batch.size());
  for (const Waiting& waiting : batch) acceptances.push_back(waiting.acceptance);
  parts_.store.accept(
      std::move(acceptances),
      [this, batch = std::move(batch)](Result<std::vector<store::Accepted>> accepted) mutable {
        parts_.loop.post([this, batch = std::move(batch),
                          accepted = std::move(accepted)]() mutable { finish(batch, accepted); });
      });
}

void Intake::finish(Batch& batch, const Result<std::vector<store::Accepted>>& accepted) {
  for (const Waiting& waiting : batch) {
    pending_ -= 1;
    pending_bytes_ -= waiting.acceptance.payload->size();
  }
  if (!accepted.ok()) return fail(batch, accepted.error());
  CHECK(accepted->size() == batch.size());  // Ours: the store answers each.
  std::vector<model::DueDelivery> due;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if ((*accepted)[i].kind != store::Accepted::Kind::New) continue;
    store::Acceptance& acceptance = batch[i].acceptance;
    const model::Payload payload = payload_to_send(batch[i]);
    for (model::Delivery& delivery : acceptance.deliveries) {
      due.push_back(
          {std::move(delivery), payload, (*accepted)[i].sequence, acceptance.message.content_type});
    }
  }
  if (!due.empty()) parts_.events.accepted(std::move(due));
  for (std::size_t i = 0; i < batch.size(); ++i) {
    batch[i].answer(conclude(batch[i], (*accepted)[i]));
  }
}

void Intake::fail(Batch& batch, const Error& error) {
  std::unordered_set<EndpointId> endpoints;
  for (const Waiting& waiting : batch) {
    for (const model::Delivery& delivery : waiting.acceptance.deliveries) {
      endpoints.insert(delivery.key.endpoint);
    }
  }
  if (!endpoints.empty()) parts_.events.unsure({endpoints.begin(), endpoints.end()});
  for (const Waiting& waiting : batch) waiting.answer(error);
}

Result<Receipt> Intake::conclude(Waiting& waiting, const store::Accepted& accepted) {
  store::Acceptance& acceptance = waiting.acceptance;
  switch (accepted.kind) {
    case store::Accepted::Kind::New:
      parts_.metrics.messages_accepted().add();
      return Receipt{std::move(acceptance.message), std::move(acceptance.payload), false};
    case store::Accepted::Kind::Repeated:
      acceptance.message.id = accepted.message;
      return Receipt{std::move(acceptance.message), std::move(acceptance.payload), true};
    case store::Accepted::Kind::KeyReused:
      return conflict("this idempotency key was used before, with another body");
    case store::Accepted::Kind::EventIdTaken:
      return conflict("another message of this application has this eventId");
    case store::Accepted::Kind::NotRepeated:
      CHECK(waiting.refusal.has_value());  // Ours: nothing else is accepted only if repeated.
      return *waiting.refusal;
    case store::Accepted::Kind::Damaged:
      return unavailable("a part of the store that this message needs is damaged");
  }
  return corrupt("the store gave an answer that means nothing");
}

}  // namespace petrel::intake
