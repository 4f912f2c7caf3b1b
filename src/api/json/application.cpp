#include "api/json/application.h"

#include "api/json/fields.h"
#include "api/json/settings.h"
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

}  // namespace

Status read_application(const JsonValue& body, model::Application& application) {
  ASSIGN_OR_RETURN(const Fields fields, Fields::of(body));
  Status status = first_error({
      take(fields, "name", application.name, kReadName),
      take_or_clear(fields, "uid", application.uid, read_uid),
      take(fields, "metadata", application.metadata, read_metadata),
      take_settings(fields, application),
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
  json.field("createdAt", to_rfc3339(application.created_at));
  json.field("updatedAt", to_rfc3339(application.updated_at));
  json.end_object();
}

}  // namespace petrel::api
