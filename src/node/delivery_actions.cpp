#include "node/delivery_actions.h"

#include <optional>
#include <utility>
#include <vector>

#include "replay/revival.h"

namespace petrel::node {
namespace {

// How often a resend looks again at a delivery that changed between our reading and our writing.
constexpr int kLooksMax = 5;

Error no_such_dead_letter() { return not_found("there is no such dead letter"); }

}  // namespace

template <typename T>
void DeliveryActions::read(Function<Result<T>()> ask, Function<void(Result<T>)> then) {
  const auto shared = std::make_shared<Function<void(Result<T>)>>(std::move(then));
  const bool is_taken = parts_.pool.run([this, shared, ask = std::move(ask)] {
    parts_.control.post([shared, answer = ask()]() mutable { (*shared)(std::move(answer)); });
  });
  if (is_taken) return;
  parts_.control.post(
      [shared] { (*shared)(unavailable("too many reads are under way; try again in a moment")); });
}

Result<DeliveryActions::Sent> DeliveryActions::find_sent(model::DeliveryKey key) {
  const Result<model::Payload> payload = parts_.browse.payload(key.message);
  if (!payload.ok()) return payload.error();
  Sent sent{*payload != nullptr, std::nullopt};
  Result<model::Delivery> delivery = parts_.browse.delivery(key);
  if (delivery.ok()) sent.delivery = *std::move(delivery);
  if (!delivery.ok() && delivery.error().kind != ErrorKind::NotFound) return delivery.error();
  return sent;
}

void DeliveryActions::resend(ApplicationId application, model::DeliveryKey delivery,
                             ResentDone done) {
  look(std::make_shared<Resending>(Resending{application, delivery, std::move(done)}));
}

void DeliveryActions::look(const ResendingPtr& resending) {
  ++resending->looks;
  read<Sent>([this, key = resending->delivery] { return find_sent(key); },
             [this, resending](const Result<Sent>& sent) {
               if (!sent.ok()) return resending->done(sent.error());
               resend(resending, *sent);
             });
}

void DeliveryActions::resend(const ResendingPtr& resending, const Sent& sent) {
  if (!sent.has_payload) return resending->done(Resent::HasNoPayload);
  if (!sent.delivery) return add(resending);
  if (resending->looks == 1) resending->was_live = sent.delivery->is_live();
  const bool is_over =
      resending->was_live && sent.delivery->state == model::DeliveryState::Delivered;
  const auto settlement =
      is_over ? std::nullopt
              : replay::revival(*sent.delivery, model::NextBasis::Resend, parts_.clock.wall());
  if (!settlement) return resending->done(Resent::Done);
  revive(resending, *settlement);
}

void DeliveryActions::add(const ResendingPtr& resending) {
  const model::Delivery added = replay::late_delivery(
      resending->delivery, resending->application, model::NextBasis::Resend, parts_.clock.wall());
  parts_.changes.write(
      {.changes = {store::AddDelivery{added}}}, Author::Person, [resending](const Status& status) {
        // A Conflict is somebody else's resend of the same, which is as good.
        const bool is_done = status.ok() || status.error().kind == ErrorKind::Conflict;
        resending->done(is_done ? Result<Resent>(Resent::Done) : status.error());
      });
}

// If the delivery has changed meanwhile, what it is now decides.
void DeliveryActions::revive(const ResendingPtr& resending, const model::Settlement& settlement) {
  using Answer = Result<std::vector<store::Settled>>;
  parts_.store.settle({settlement}, [this, resending](Answer answer) {
    parts_.control.post([this, resending, answer = std::move(answer)] {
      const bool is_superseded = answer.ok() && answer->front() == store::Settled::Superseded;
      // Also if nobody knows whether it was written.
      const EndpointId endpoint = resending->delivery.endpoint;
      if (!is_superseded) parts_.lanes.send_to(endpoint, LaneLook{endpoint});
      if (!answer.ok()) return resending->done(answer.error());
      if (!is_superseded) return resending->done(Resent::Done);
      if (resending->looks < kLooksMax) return look(resending);
      resending->done(unavailable("the delivery keeps changing; try again"));
    });
  });
}

void DeliveryActions::discard(model::DeliveryKey key, DiscardDone done) {
  read<model::Delivery>(
      [this, key] { return parts_.browse.delivery(key); },
      [this, done = std::move(done)](Result<model::Delivery> delivery) mutable {
        if (!delivery.ok()) return done(delivery.error());
        if (delivery->state != model::DeliveryState::Dead) return done(no_such_dead_letter());
        using Answer = Result<std::vector<store::Settled>>;
        parts_.store.settle(
            {replay::discard(*delivery, parts_.clock.wall())},
            [this, done = std::move(done)](Answer answer) mutable {
              parts_.control.post([done = std::move(done), answer = std::move(answer)] {
                if (!answer.ok()) return done(answer.error());
                // It was replayed or discarded between our reading and our writing.
                const bool is_superseded = answer->front() == store::Settled::Superseded;
                done(is_superseded ? Status(no_such_dead_letter()) : Status(petrel::Done{}));
              });
            });
      });
}

}  // namespace petrel::node
