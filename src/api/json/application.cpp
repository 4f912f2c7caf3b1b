#include "api/json/application.h"

#include "api/json/fields.h"
#include "api/json/settings.h"
#include "base/duration_text.h"
#include "base/rfc3339.h"
#include "base/try.h"
#include "intake/names.h"

namespace petrel::api {
namespace {

constexpr TextReading kReadName{.bytes_min = 1, .bytes_max = 1024};

Result<std::string> read_uid(const JsonValue& value) {
  Result<std::string> uid = TextReading{}(value);
  if (!uid.ok()) return uid;
  TRY(intake::check_uid(*uid, ApplicationId::kPrefix));
  return uid;
}

constexpr DurationReading kReadRetention{model::kRetentionMin, model::kRetentionMax};

Status take_retention(const Fields& fields, model::RetentionSettings& retention) {
  return first_error({
      take_or_clear(fields, "retention", retention.ended, kReadRetention),
      take_or_clear(fields, "retentionPayloads", retention.payloads, kReadRetention),
      take_or_clear(fields, "retentionAttempts", retention.attempts, kReadRetention),
      take_or_clear(fields, "retentionDeadLetters", retention.dead_letters, kReadRetention),
  });
}

void write_period(std::string_view name, const std::optional<Duration>& period, JsonWriter& json) {
  json.key(name);
  if (period) {
    json.value(to_text(*period));
  } else {
    json.null();
  }
}

}  // namespace

Status read_application(const JsonValue& body, model::Application& application) {
  ASSIGN_OR_RETURN(const Fields fields, Fields::of(body));
  Status status = first_error({
      take(fields, "name", application.name, kReadName),
      take_or_clear(fields, "uid", application.uid, read_uid),
      take(fields, "metadata", application.metadata, read_metadata),
      take_settings(fields, application),
      take_retention(fields, application.retention),
  });
  if (status.ok() && application.name.empty()) return invalid("name", "is missing");
  return status;
}

void write_application(const model::Application& application, JsonWriter& json) {
  json.begin_object();
  json.field("id", application.id.text()).field("name", application.name);
  if (!application.uid.empty()) json.field("uid", application.uid);
  write_settings_of(application, json);
  json.key("metadata");
  write_metadata(application.metadata, json);
  write_period("retention", application.retention.ended, json);
  write_period("retentionPayloads", application.retention.payloads, json);
  write_period("retentionAttempts", application.retention.attempts, json);
  write_period("retentionDeadLetters", application.retention.dead_letters, json);
  json.field("createdAt", to_rfc3339(application.created_at));
  json.field("updatedAt", to_rfc3339(application.updated_at));
  json.end_object();
}

}  // namespace petrel::api
