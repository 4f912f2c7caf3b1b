// Sending again what was sent before: one delivery, or all that an endpoint has lost.

#include <cstdio>
#include <optional>

#include <fmt/format.h>

#include "api/call.h"
#include "api/error.h"
#include "api/json_fields.h"
#include "api/message_lookup.h"
#include "api/recovery.h"
#include "api/routes.h"
#include "base/rfc3339.h"
#include "replay/revival.h"

namespace petrel::api {
namespace {

constexpr Duration kRecoverSpanMax = std::chrono::hours(14 * 24) + std::chrono::minutes(5);

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

// Once it is on disk the lane hears of it.
std::function<void(Status)> answers_resend(const CallPtr& call, EndpointId endpoint) {
  return [call, endpoint](const Status& status) {
    if (status.ok()) call->parts().nudge(endpoint);
    call->parts().post([call, status] {
      // A Conflict is somebody else's resend of the same, which is as good.
      const bool is_done = status.ok() || status.error().kind == ErrorKind::Conflict;
      call->answer(is_done ? Result<net::HttpResponse>(json_response(202, "{}")) : status.error());
    });
  };
}

void resend_one(const CallPtr& call, EndpointId endpoint, const Sent& sent) {
  if (!sent.has_payload) {
    return call->answer(
        coded_page(400, "missing_payload", "the payload of this message is deleted"));
  }
  store::Store& store = call->parts().store;
  const WallTime now = call->parts().clock.wall();
  if (!sent.delivery) {
    const model::Delivery added =
        replay::late_delivery({endpoint, sent.message}, call->application->id, now);
    return store.change({.changes = {store::AddDelivery{added}}}, answers_resend(call, endpoint));
  }
  const auto settlement = replay::revival(*sent.delivery, now);
  if (!settlement) return call->answer(json_response(202, "{}"));
  store.settle({*settlement}, answers_resend(call, endpoint));
}

void resend(const CallPtr& call) {
  const store::EndpointPtr endpoint = call->endpoint();
  if (endpoint == nullptr) return call->answer(no_such_endpoint());
  call->read<Sent>(
      [application = call->application->id, endpoint = endpoint->id,
       id = call->parameter("msg_id")](store::Browse& browse) {
        return find_sent(browse, application, endpoint, id);
      },
      [call, endpoint = endpoint->id](const Sent& sent) { resend_one(call, endpoint, sent); });
}

Result<WallTime> read_time(const JsonValue& value) {
  if (value.as_string() == nullptr) return wrong_kind(value, "a time as a string");
  Result<WallTime> time = parse_rfc3339(*value.as_string());
  if (!time.ok()) return invalid("", time.error().detail);
  return time;
}

Result<RecoveryWindow> read_window(Call& call, EndpointId endpoint) {
  const Result<JsonValue> body = call.json();
  if (!body.ok()) return body.error();
  const Result<Fields> fields = Fields::of(*body);
  if (!fields.ok()) return fields.error().under("body");
  const WallTime now = call.parts().clock.wall();
  std::optional<WallTime> since;
  std::optional<WallTime> until;
  const Status read = first_error({take_or_clear(*fields, "since", since, read_time),
                                   take_or_clear(*fields, "until", until, read_time)});
  if (!read.ok()) return read.error().under("body");
  if (!since) return invalid("body.since", "is missing");
  // What dies from now on is not meant, and this keeps it from being revived in a circle.
  const WallTime end = std::min(until.value_or(now), now);
  if (until && *until <= *since) return invalid("body.until", "must be later than since");
  if (until.value_or(now) - *since > kRecoverSpanMax) {
    return invalid("body.since", "must be at most 14 days before until");
  }
  return RecoveryWindow{call.application->id, endpoint, *since, end};
}

net::HttpResponse shown_task(TaskId id, bool is_done, WallTime now) {
  return written(202, [&](JsonWriter& json) {
    json.begin_object();
    json.field("id", id.text()).field("status", is_done ? "finished" : "running");
    json.field("task", "endpoint.recover").field("updatedAt", to_rfc3339(now));
    json.end_object();
  });
}

// Answers with the first batch, and says so if a later one fails: nobody waits for that any more.
class RecoveryWatch {
 public:
  RecoveryWatch(CallPtr call, TaskId task, EndpointId endpoint)
      : call_(std::move(call)), task_(task), endpoint_(endpoint) {}

  void on_batch(const Result<RecoveryProgress>& progress) {
    const bool is_over = !progress.ok() || progress->is_done;
    if (is_over) --call_->desk->recovering;
    if (!std::exchange(is_answered_, true)) {
      if (!progress.ok()) return call_->answer(progress.error());
      const WallTime now = call_->parts().clock.wall();
      return call_->answer(shown_task(task_, progress->is_done, now));
    }
    if (progress.ok()) return;
    fmt::print(stderr,
               "petrel: the recovery {} of {} ended early ({}). What it has not reached is still "
               "dead: ask for the recovery again.\n",
               task_.text(), endpoint_.text(), progress.error().text());
  }

 private:
  CallPtr call_;
  TaskId task_;
  EndpointId endpoint_;
  bool is_answered_ = false;
};

void recover(const CallPtr& call) {
  const store::EndpointPtr endpoint = call->endpoint();
  if (endpoint == nullptr) return call->answer(no_such_endpoint());
  const Result<RecoveryWindow> window = read_window(*call, endpoint->id);
  if (!window.ok()) return call->answer(window.error());
  if (call->desk->recovering >= Desk::kRecoveringMax) {
    return call->answer(unavailable("too many recoveries are under way; try again later"));
  }
  ++call->desk->recovering;
  Parts& parts = call->parts();
  const TaskId task(call->desk->maker.make(parts.clock.wall()));
  // Shared with the batches' ends, which are posted to this loop.
  const auto watch = std::make_shared<RecoveryWatch>(call, task, endpoint->id);
  const auto on_batch = [post = parts.post, watch](const Result<RecoveryProgress>& progress) {
    post([watch, progress] { watch->on_batch(progress); });
  };
  std::make_shared<Recovery>(Recovery::Parts{.store = parts.store,
                                             .browse = parts.browse,
                                             .clock = parts.clock,
                                             .run_blocking = parts.run_blocking,
                                             .nudge = parts.nudge,
                                             .on_batch = on_batch},
                             *window)
      ->start();
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
      {"POST",
       "/api/v1/app/{app_id}/endpoint/{endpoint_id}/recover",
       Scope::Application,
       recover,
       {.id = "v1.endpoint.recover",
        .summary = "Send again what died at an endpoint in a window of time",
        .tag = "Endpoint",
        .request = "RecoverIn",
        .status = 202,
        .response = "RecoverOut"}},
  };
}

}  // namespace petrel::api
