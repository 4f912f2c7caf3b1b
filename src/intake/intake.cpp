#include "intake/intake.h"

#include <utility>

#include "base/check.h"

namespace petrel::intake {

Intake::Intake(Parts parts, IntakeSettings settings)
    : parts_(std::move(parts)), settings_(settings), maker_(parts_.random) {}

void Intake::accept(NewMessage message, Answer answer) {
  CHECK(message.payload != nullptr);
  const std::size_t bytes = message.payload->size();
  if (pending_ >= settings_.pending_max || pending_bytes_ + bytes > settings_.pending_bytes_max) {
    return answer(unavailable("too many messages wait to be written; try again in a moment"));
  }
  const auto endpoints = parts_.catalogue.endpoints_of(message.application);
  Result<store::Acceptance> planned =
      plan(std::move(message), endpoints, parts_.clock.wall(), maker_);
  if (!planned.ok()) return answer(planned.error());

  if (turn_.empty()) parts_.defer([this] { flush(); });
  turn_.push_back({*std::move(planned), std::move(answer)});
  pending_ += 1;
  pending_bytes_ += bytes;
}

void Intake::flush() {
  // Shared with the store's answer, which must be copyable.
  auto batch = std::make_shared<Batch>(std::exchange(turn_, {}));
  std::vector<store::Acceptance> acceptances;
  acceptances.reserve(batch->size());
  for (const Waiting& waiting : *batch) acceptances.push_back(waiting.acceptance);
  parts_.store.accept(
      std::move(acceptances), [this, batch](Result<std::vector<store::Accepted>> accepted) {
        parts_.post([this, batch, accepted = std::move(accepted)] { finish(*batch, accepted); });
      });
}

void Intake::finish(Batch& batch, const Result<std::vector<store::Accepted>>& accepted) {
  CHECK(!accepted.ok() || accepted->size() == batch.size());
  for (std::size_t i = 0; i < batch.size(); ++i) {
    Waiting& waiting = batch[i];
    pending_ -= 1;
    pending_bytes_ -= waiting.acceptance.payload->size();
    if (accepted.ok()) {
      waiting.answer(conclude(waiting, (*accepted)[i]));
    } else {
      if (parts_.on_unsure) parts_.on_unsure(waiting.acceptance);
      waiting.answer(accepted.error());
    }
  }
}

Result<Receipt> Intake::conclude(Waiting& waiting, const store::Accepted& accepted) {
  store::Acceptance& acceptance = waiting.acceptance;
  switch (accepted.kind) {
    case store::Accepted::Kind::New:
      parts_.metrics.messages_accepted().add();
      if (parts_.on_accepted) parts_.on_accepted(acceptance, accepted.sequence);
      return Receipt{std::move(acceptance.message), std::move(acceptance.payload), false};
    case store::Accepted::Kind::Repeated:
      acceptance.message.id = accepted.message;
      return Receipt{std::move(acceptance.message), std::move(acceptance.payload), true};
    case store::Accepted::Kind::KeyReused:
      return conflict("this idempotency key was used before, with another body");
    case store::Accepted::Kind::EventIdTaken:
      return conflict("another message of this application has this eventId");
    case store::Accepted::Kind::Damaged:
      return unavailable("a part of the store that this message needs is damaged");
  }
  return corrupt("the store gave an answer that means nothing");
}

}  // namespace petrel::intake
