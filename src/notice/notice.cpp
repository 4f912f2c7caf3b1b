#include "notice/notice.h"

#include "base/json_writer.h"
#include "base/rfc3339.h"

namespace petrel::notice {
namespace {

using model::DeliveryState;

bool is_on(const model::Endpoint& endpoint) { return !endpoint.is_disabled && !endpoint.pause; }

// Whether they differ in something that a person sets.
bool is_edited(const model::Endpoint& before, const model::Endpoint& after) {
  model::Endpoint otherwise = before;
  otherwise.pause = after.pause;
  otherwise.held = after.held;
  otherwise.updated_at = after.updated_at;
  return otherwise != after;
}

void write_text_or_null(std::string_view name, const std::string& text, JsonWriter& json) {
  json.key(name);
  if (text.empty()) {
    json.null();
  } else {
    json.value(text);
  }
}

void begin(NoticeType type, const model::Application& application, const model::Endpoint& endpoint,
           JsonWriter& json) {
  json.begin_object().field("type", name_of(type)).key("data").begin_object();
  json.field("appId", application.id.text());
  write_text_or_null("appUid", application.uid, json);
  json.field("endpointId", endpoint.id.text());
  write_text_or_null("endpointUid", endpoint.uid, json);
}

// Since when, by whom, and why if there was a reason.
void write_disabling(const EndpointChange& change, JsonWriter& json) {
  const bool is_ours = change.by == Author::Server;
  json.field("trigger", is_ours ? "automatic" : "manual");
  const std::optional<model::Pause>& pause = change.after->pause;
  json.key("failSince");
  if (is_ours && pause) {
    json.value(to_rfc3339(pause->since));
  } else {
    json.null();
  }
  write_text_or_null("why", pause ? pause->why : "", json);
}

void write_last_attempt(const std::optional<LastAttempt>& attempt, JsonWriter& json) {
  json.key("lastAttempt");
  if (!attempt) {
    json.null();
    return;
  }
  json.begin_object().field("id", attempt->id.text());
  json.field("responseStatusCode", attempt->status);
  json.field("timestamp", to_rfc3339(attempt->at)).end_object();
}

std::optional<NoticeType> type_of(const model::Delivery& delivery) {
  switch (delivery.state) {
    case DeliveryState::Pending:
    case DeliveryState::Discarded:
      return std::nullopt;
    case DeliveryState::Retrying:
      if (delivery.progress.attempts != kFailingAttempts) return std::nullopt;
      return NoticeType::AttemptFailing;
    case DeliveryState::Delivered:
      if (delivery.progress.attempts <= kFailingAttempts) return std::nullopt;
      return NoticeType::AttemptRecovered;
    case DeliveryState::Dead:
      // What a receiver has aborted, its owner did not want dead.
      if (delivery.reason == policy::DeadReason::Cancelled && !delivery.is_aborted) {
        return std::nullopt;
      }
      return NoticeType::AttemptExhausted;
  }
  return std::nullopt;
}

}  // namespace

std::vector<NoticeType> types_of(const EndpointChange& change) {
  if (change.before == nullptr) return {NoticeType::EndpointCreated};
  if (change.after->deleted_at) return {NoticeType::EndpointDeleted};
  std::vector<NoticeType> types;
  if (is_edited(*change.before, *change.after)) types.push_back(NoticeType::EndpointUpdated);
  const bool was_on = is_on(*change.before);
  if (was_on && !is_on(*change.after)) types.push_back(NoticeType::EndpointDisabled);
  if (!was_on && is_on(*change.after)) types.push_back(NoticeType::EndpointEnabled);
  return types;
}

std::string notice_of(NoticeType type, const EndpointChange& change,
                      const model::Application& application) {
  JsonWriter json;
  begin(type, application, *change.after, json);
  if (type == NoticeType::EndpointDisabled) write_disabling(change, json);
  json.end_object().end_object();
  return json.take();
}

LastAttempt LastAttempt::of(const model::Attempt& attempt) {
  const policy::Outcome& outcome = attempt.outcome;
  return {attempt.id, outcome.is_answer() ? outcome.status() : 0, attempt.started_at};
}

std::optional<AttemptNews> news_of(const model::Settlement& settlement) {
  const model::Delivery& delivery = settlement.delivery;
  const std::optional<NoticeType> type = type_of(delivery);
  if (!type) return std::nullopt;
  AttemptNews news{.type = *type,
                   .delivery = delivery.key,
                   .application = delivery.application,
                   .reason = delivery.reason};
  if (settlement.attempt) news.last_attempt = LastAttempt::of(*settlement.attempt);
  return news;
}

std::string notice_of(const AttemptNews& news, const model::Application& application,
                      const model::Endpoint& endpoint) {
  JsonWriter json;
  begin(news.type, application, endpoint, json);
  json.field("msgId", news.delivery.message.text());
  write_text_or_null("msgEventId", news.event_id, json);
  write_last_attempt(news.last_attempt, json);
  if (news.reason) json.field("reason", policy::to_string(*news.reason));
  json.end_object().end_object();
  return json.take();
}

}  // namespace petrel::notice
