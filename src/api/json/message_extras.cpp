#include "api/json/message_extras.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <utility>

#include "api/json/fields.h"
#include "api/json/message.h"
#include "base/rfc3339.h"
#include "base/text.h"
#include "base/try.h"

namespace petrel::api {
namespace {

constexpr std::string_view kJson = "application/json";
constexpr std::size_t kContentTypeBytesMax = 256;

constexpr std::array<std::string_view, 6> kNames = {"tags",
                                                    "deliverAt",
                                                    "payloadRetentionPeriod",
                                                    "payloadRetentionHours",
                                                    "application",
                                                    "transformationsParams"};

Error appears_twice() { return invalid("", "appears twice"); }

// It becomes a header's value.
Result<std::string> read_content_type(const JsonValue& value) {
  const std::string* text = value.as_string();
  if (text == nullptr) return wrong_kind(value, "a string");
  const bool is_printable =
      std::all_of(text->begin(), text->end(), [](char c) { return c >= ' ' && c <= '~'; });
  if (text->empty() || text->size() > kContentTypeBytesMax || !is_printable) {
    return invalid("", "must be 1 to 256 characters of printable ASCII");
  }
  return *text;
}

bool is_object(const std::string& text) {
  const Result<JsonValue> json = parse_json(text);
  return json.ok() && json->as_object() != nullptr;
}

}  // namespace

bool MessageExtras::knows(std::string_view name) {
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

Status MessageExtras::take(std::string_view name, JsonValue value) {
  if (name == "tags") {
    if (tags_) return appears_twice();
    ASSIGN_OR_RETURN(std::vector<std::string> tags, read_texts(value));
    if (tags.empty()) return invalid("", "must be null or name at least one tag");
    tags_ = std::move(tags);
    return Done{};
  }
  if (name == "deliverAt") {
    if (deliver_at_) return appears_twice();
    if (value.as_string() == nullptr) return wrong_kind(value, "a time as a string");
    const Result<WallTime> time = parse_rfc3339(*value.as_string());
    if (!time.ok()) return invalid("", time.error().detail);
    deliver_at_ = *time;
    return Done{};
  }
  if (name == "payloadRetentionPeriod") return take_retention(value, 90, std::chrono::hours(24));
  if (name == "payloadRetentionHours") return take_retention(value, 2160, std::chrono::hours(1));
  if (name == "application") {
    if (application_) return appears_twice();
    application_ = std::move(value);
    return Done{};
  }
  return take_transformation(value);
}

Status MessageExtras::take_retention(const JsonValue& value, int units_max, Duration unit) {
  if (payload_retention_) {
    return invalid("", "stands beside another retention of the payload; give one of them");
  }
  ASSIGN_OR_RETURN(const int units, IntegerReading{.min = 1, .max = units_max}(value));
  payload_retention_ = units * unit;
  return Done{};
}

// {"rawPayload": "<a/>", "headers": {"content-type": "text/xml"}}
Status MessageExtras::take_transformation(const JsonValue& value) {
  if (std::exchange(has_transformation_, true)) return appears_twice();
  ASSIGN_OR_RETURN(const Fields fields, Fields::of(value));
  const JsonValue* raw = fields.find("rawPayload");
  if (raw != nullptr && !raw->is_null()) {
    if (raw->as_string() == nullptr) return wrong_kind(*raw, "a string").under("rawPayload");
    raw_payload_ = *raw->as_string();
  }
  const JsonValue* headers = fields.find("headers");
  if (headers == nullptr || headers->is_null()) return Done{};
  const JsonValue::Object* object = headers->as_object();
  if (object == nullptr) return wrong_kind(*headers, "an object of strings").under("headers");
  for (const auto& [name, content] : *object) {
    if (!equals_ignoring_case(name, "content-type")) continue;
    Result<std::string> type = read_content_type(content);
    if (!type.ok()) return type.error().under(name).under("headers");
    content_type_ = *std::move(type);
  }
  return Done{};
}

void MessageExtras::put_into(MessageBody& body) {
  if (tags_) body.tags = *std::move(tags_);
  body.deliver_at = deliver_at_;
  body.payload_retention = payload_retention_;
  body.application = std::move(application_);
  // The content type is that of the raw payload: `payload` is always JSON.
  if (!raw_payload_) return;
  const std::string type = content_type_.value_or(std::string(kJson));
  // An empty one says that the payload is an object and can be shown as it is.
  if (type != kJson || !is_object(*raw_payload_)) body.content_type = type;
  body.payload = std::make_shared<const std::string>(*std::move(raw_payload_));
}

}  // namespace petrel::api
