#include "api/json/fields.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/duration_text.h"

namespace petrel::api {
namespace {

constexpr std::size_t kMetadataBytesMax = 4096;
constexpr std::size_t kTextsMax = 1000;

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 && c != '\t' && c != '\n' && c != '\r';
}

}  // namespace

Result<Fields> Fields::of(const JsonValue& json) {
  const JsonValue::Object* object = json.as_object();
  if (object == nullptr) return wrong_kind(json, "an object");
  return Fields(*object);
}

const JsonValue* Fields::find(std::string_view name) const {
  for (const auto& [key, value] : *object_) {
    if (key == name) return &value;
  }
  return nullptr;
}

Status Fields::only(std::initializer_list<std::string_view> names) const {
  for (const auto& [name, value] : *object_) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      return invalid(name, "is an unknown field");
    }
  }
  return Done{};
}

std::string_view Fields::first_of(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names) {
    if (find(name) != nullptr) return name;
  }
  return *names.begin();
}

Error wrong_kind(const JsonValue& value, std::string_view expected) {
  return invalid("", fmt::format("must be {}, not {}", expected, value.kind_name()));
}

Result<std::string> TextReading::operator()(const JsonValue& value) const {
  const std::string* text = value.as_string();
  if (text == nullptr) return wrong_kind(value, "a string");
  if (text->size() < bytes_min) return invalid("", "must not be empty");
  if (text->size() > bytes_max) {
    return invalid("", fmt::format("must not be longer than {} bytes", bytes_max));
  }
  if (std::any_of(text->begin(), text->end(), is_control)) {
    return invalid("", "must not hold control characters");
  }
  return *text;
}

Result<int> IntegerReading::operator()(const JsonValue& value) const {
  const std::int64_t* number = value.as_integer();
  if (number == nullptr) return wrong_kind(value, "a whole number");
  if (*number < min || *number > max) {
    return invalid("", fmt::format("must be {} to {}", min, max));
  }
  return static_cast<int>(*number);
}

Result<Duration> DurationReading::operator()(const JsonValue& value) const {
  const std::string* text = value.as_string();
  if (text == nullptr) return wrong_kind(value, "a duration as a string, such as \"15s\"");
  Result<Duration> duration = parse_duration(*text);
  if (duration.ok() && (*duration < min || *duration > max)) {
    return invalid("", fmt::format("must be {} to {}", to_text(min), to_text(max)));
  }
  return duration;
}

Result<bool> read_bool(const JsonValue& value) {
  const bool* truth = value.as_bool();
  if (truth == nullptr) return wrong_kind(value, "true or false");
  return *truth;
}

Result<std::vector<std::string>> read_texts(const JsonValue& value) {
  const JsonValue::Array* array = value.as_array();
  if (array == nullptr) return wrong_kind(value, "a list of strings");
  if (array->size() > kTextsMax) {
    return invalid("", fmt::format("must not have more than {} items", kTextsMax));
  }
  std::vector<std::string> texts;
  for (const JsonValue& item : *array) {
    const std::string* text = item.as_string();
    if (text == nullptr) {
      return wrong_kind(item, "a string").under(fmt::format("[{}]", texts.size()));
    }
    texts.push_back(*text);
  }
  return texts;
}

Result<model::Metadata> read_metadata(const JsonValue& value) {
  model::Metadata metadata;
  if (value.is_null()) return metadata;
  const JsonValue::Object* object = value.as_object();
  if (object == nullptr) return wrong_kind(value, "an object of strings");
  const Error too_long =
      invalid("", fmt::format("must not be longer than {} bytes as JSON", kMetadataBytesMax));
  std::size_t bytes = 0;  // That there are at least.
  for (const auto& [name, content] : *object) {
    const std::string* text = content.as_string();
    if (text == nullptr) return wrong_kind(content, "a string").under(name);
    bytes += std::string_view(R"("":"",)").size() + name.size() + text->size();
    if (bytes > kMetadataBytesMax + 1) return too_long;
    metadata.emplace(name, *text);
  }
  JsonWriter json;
  write_metadata(metadata, json);
  if (json.text().size() > kMetadataBytesMax) return too_long;
  return metadata;
}

void write_metadata(const model::Metadata& metadata, JsonWriter& json) {
  json.begin_object();
  for (const auto& [name, content] : metadata) json.field(name, content);
  json.end_object();
}

Status first_error(std::initializer_list<Status> statuses) {
  for (const Status& status : statuses) {
    if (!status.ok()) return status;
  }
  return Done{};
}

}  // namespace petrel::api
