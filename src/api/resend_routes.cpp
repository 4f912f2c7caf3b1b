// Sending one delivery again.

#include <optional>

#include "api/call.h"
#include "api/error.h"
#include "api/message_lookup.h"
#include "api/routes.h"
#include "replay/revival.h"

namespace petrel::api {
namespace {

Error no_such_endpoint() { return not_found("there is no such endpoint"); }

// What a resend starts from.
struct Sent {
  MessageId message;
  bool has_payload = false;
  std::optional<model::Delivery> delivery;
};

Result<Sent> find_sent(store::Browse& browse, ApplicationId application, EndpointId endpoint,
                       std::string_view id) {
  const Result<model::Message> message = find_message(browse, application, id);
  if (!message.ok()) return message.error();
  const Result<model::Payload> payload = browse.payload(message->id);
  if (!payload.ok()) return payload.error();
  Sent sent{message->id, *payload != nullptr, std::nullopt};
  Result<model::Delivery> delivery = browse.delivery({endpoint, message->id});
  if (delivery.ok()) sent.delivery = *std::move(delivery);
  if (!delivery.ok() && delivery.error().kind != ErrorKind::NotFound) return delivery.error();
  return sent;
}

// How often a resend looks again at a delivery that changed between our reading and our writing.
constexpr int kLooksMax = 5;

struct Look {
  EndpointId endpoint;
  int number = 1;
  bool was_live = false;  // When the first look found it.
};

void look(const CallPtr& call, const Look& how);

// Once it is on disk the lane hears of it.
std::function<void(Status)> answers_addition(const CallPtr& call, EndpointId endpoint) {
  return [call, endpoint](const Status& status) {
    if (status.ok()) call->parts().nudge(endpoint);
    call->parts().post([call, status] {
      // A Conflict is somebody else's resend of the same, which is as good.
      const bool is_done = status.ok() || status.error().kind == ErrorKind::Conflict;
      call->answer(is_done ? Result<net::HttpResponse>(json_response(202, "{}")) : status.error());
    });
  };
}

// If the delivery has changed meanwhile, what it is now decides.
store::Store::SettleDone answers_revival(const CallPtr& call, const Look& how) {
  return [call, how](const Result<std::vector<store::Settled>>& settled) {
    const bool is_done = settled.ok() && settled->front() != store::Settled::Superseded;
    if (is_done) call->parts().nudge(how.endpoint);
    call->parts().post([call, how, settled, is_done] {
      if (!settled.ok()) return call->answer(settled.error());
      if (is_done) return call->answer(json_response(202, "{}"));
      if (how.number < kLooksMax) return look(call, {how.endpoint, how.number + 1, how.was_live});
      call->answer(unavailable("the delivery keeps changing; try again"));
    });
  };
}

void resend_one(const CallPtr& call, Look how, const Sent& sent) {
  const EndpointId endpoint = how.endpoint;
  if (!sent.has_payload) {
    return call->answer(
        coded_page(400, "missing_payload", "the payload of this message is deleted"));
  }
  store::Store& store = call->parts().store;
  const WallTime now = call->parts().clock.wall();
  if (!sent.delivery) {
    const model::Delivery added = replay::late_delivery(
        {endpoint, sent.message}, call->application->id, model::NextBasis::Resend, now);
    return store.change({.changes = {store::AddDelivery{added}}}, answers_addition(call, endpoint));
  }
  if (how.number == 1) how.was_live = sent.delivery->is_live();
  // A live delivery is only brought forward: an attempt that was in flight may end it.
  const bool is_over = how.was_live && sent.delivery->state == model::DeliveryState::Delivered;
  const auto settlement =
      is_over ? std::nullopt : replay::revival(*sent.delivery, model::NextBasis::Resend, now);
  if (!settlement) return call->answer(json_response(202, "{}"));
  store.settle({*settlement}, answers_revival(call, how));
}

void look(const CallPtr& call, const Look& how) {
  call->read<Sent>(
      [application = call->application->id, endpoint = how.endpoint,
       id = call->parameter("msg_id")](store::Browse& browse) {
        return find_sent(browse, application, endpoint, id);
      },
      [call, how](const Sent& sent) { resend_one(call, how, sent); });
}

void resend(const CallPtr& call) {
  const store::EndpointPtr endpoint = call->endpoint();
  if (endpoint == nullptr) return call->answer(no_such_endpoint());
  look(call, {.endpoint = endpoint->id});
}

}  // namespace

std::vector<Route> resend_routes() {
  return {
      {"POST",
       "/api/v1/app/{app_id}/msg/{msg_id}/endpoint/{endpoint_id}/resend",
       Scope::Application,
       resend,
       {.id = "v1.message-attempt.resend",
        .summary = "Send a message to an endpoint again",
        .tag = "Message attempt",
        .status = 202,
        .response = "EmptyResponse"}},
  };
}

}  // namespace petrel::api
