#include "app/client/json_view.h"

#include <utility>

#include <simdjson.h>

namespace petrel::app {
namespace {

namespace ondemand = simdjson::ondemand;

const JsonValue* field_of(const JsonValue& json, std::string_view name) {
  const JsonValue::Object* object = json.as_object();
  if (object == nullptr) return nullptr;
  for (const auto& [key, value] : *object) {
    if (key == name) return &value;
  }
  return nullptr;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::string raw_text(ondemand::value value) {
  std::string_view text;
  switch (value.type()) {
    case ondemand::json_type::object:
      text = ondemand::object(value.get_object()).raw_json();
      break;
    case ondemand::json_type::array:
      text = ondemand::array(value.get_array()).raw_json();
      break;
    default:
      text = value.raw_json_token();
  }
  return std::string(trimmed(text));
}

// The whole of it, since what reads on demand does not look at what it passes over.
Status check_whole(const simdjson::padded_string& text) {
  simdjson::dom::parser parser;
  simdjson::dom::element element;
  const simdjson::error_code error = parser.parse(text).get(element);
  if (error != simdjson::SUCCESS) return invalid("", "is not valid JSON");
  if (!element.is_object()) return invalid("", "must be a JSON object");
  return Done{};
}

}  // namespace

const JsonValue* value_at(const JsonValue& json, std::string_view path) {
  const JsonValue* at = &json;
  while (at != nullptr && !path.empty()) {
    const std::string_view name = path.substr(0, path.find('.'));
    at = field_of(*at, name);
    path.remove_prefix(std::min(path.size(), name.size() + 1));
  }
  return at;
}

std::string text_at(const JsonValue& json, std::string_view path) {
  const JsonValue* value = value_at(json, path);
  const std::string* text = value == nullptr ? nullptr : value->as_string();
  return text == nullptr ? std::string() : *text;
}

std::int64_t number_at(const JsonValue& json, std::string_view path) {
  const JsonValue* value = value_at(json, path);
  const std::int64_t* number = value == nullptr ? nullptr : value->as_integer();
  return number == nullptr ? 0 : *number;
}

bool flag_at(const JsonValue& json, std::string_view path) {
  const JsonValue* value = value_at(json, path);
  const bool* flag = value == nullptr ? nullptr : value->as_bool();
  return flag != nullptr && *flag;
}

bool is_there(const JsonValue& json, std::string_view path) {
  const JsonValue* value = value_at(json, path);
  return value != nullptr && !value->is_null();
}

const JsonValue::Array& list_at(const JsonValue& json, std::string_view path) {
  static const JsonValue::Array kNone;
  const JsonValue* value = value_at(json, path);
  const JsonValue::Array* list = value == nullptr ? nullptr : value->as_array();
  return list == nullptr ? kNone : *list;
}

Result<RawObject> RawObject::parse(std::string_view text) {
  const simdjson::padded_string padded(text);
  const Status whole = check_whole(padded);
  if (!whole.ok()) return whole.error();
  RawObject object;
  object.json_ = trimmed(text);
  try {
    ondemand::parser parser;
    ondemand::document document = parser.iterate(padded);
    for (ondemand::field field : document.get_object()) {
      std::string name(std::string_view(field.unescaped_key()));
      object.fields_.emplace_back(std::move(name), raw_text(field.value()));
    }
  } catch (const simdjson::simdjson_error& failure) {
    return invalid("", failure.what());
  }
  return object;
}

std::string_view RawObject::raw(std::string_view name) const {
  for (const auto& [key, text] : fields_) {
    if (key == name) return text == "null" ? std::string_view() : std::string_view(text);
  }
  return {};
}

std::string RawObject::text(std::string_view name) const {
  const std::string_view json = raw(name);
  if (!json.starts_with('"')) return {};
  const Result<JsonValue> value = parse_json(json);
  return value.ok() && value->as_string() != nullptr ? *value->as_string() : std::string();
}

std::vector<std::string> RawObject::names() const {
  std::vector<std::string> names;
  for (const auto& [name, text] : fields_) names.push_back(name);
  return names;
}

Result<std::vector<RawObject>> raw_list(std::string_view text, std::string_view name) {
  const Result<RawObject> outer = RawObject::parse(text);
  if (!outer.ok()) return outer.error();
  const simdjson::padded_string padded(outer->raw(name));
  std::vector<std::string> items;
  try {
    ondemand::parser parser;
    ondemand::document document = parser.iterate(padded);
    for (ondemand::value item : document.get_array()) items.push_back(raw_text(item));
  } catch (const simdjson::simdjson_error&) {
    return invalid(name, "is not a list");
  }
  std::vector<RawObject> objects;
  for (const std::string& item : items) {
    Result<RawObject> object = RawObject::parse(item);
    if (!object.ok()) return object.error().under(name);
    objects.push_back(*std::move(object));
  }
  return objects;
}

std::string printable(std::string_view text, std::size_t bytes_max) {
  std::string clean;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    // C1 controls begin with 0xc2 in UTF-8; a terminal may obey them as well.
    const bool is_control = byte < 0x20 || byte == 0x7f;
    const bool is_second = byte >= 0x80 && byte < 0xa0 && clean.ends_with('\xc2');
    if (is_second) clean.pop_back();
    clean += is_control || is_second ? ' ' : c;
    if (clean.size() < bytes_max) continue;
    // Not in the middle of a character.
    while (!clean.empty() && (static_cast<unsigned char>(clean.back()) & 0xc0U) == 0x80) {
      clean.pop_back();
    }
    if (!clean.empty() && static_cast<unsigned char>(clean.back()) >= 0x80) clean.pop_back();
    return clean + "…";
  }
  return clean;
}

}  // namespace petrel::app
