#include "schema/reference.h"

#include <algorithm>
#include <string>

#include "base/text.h"

namespace petrel::schema {
namespace {

constexpr std::size_t kFieldsAStep = 4;

int hex_digit(char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const std::size_t at = kDigits.find(static_cast<char>(c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c));
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

// %25 is a percent sign, ~1 a slash and ~0 a tilde.
std::string unescaped(std::string_view token) {
  std::string plain;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const int high = token[i] == '%' && i + 2 < token.size() ? hex_digit(token[i + 1]) : -1;
    const int low = high >= 0 ? hex_digit(token[i + 2]) : -1;
    if (low >= 0) {
      plain += static_cast<char>(high * 16 + low);
      i += 2;
    } else if (token.substr(i, 2) == "~1" || token.substr(i, 2) == "~0") {
      plain += token[++i] == '1' ? '/' : '~';
    } else {
      plain += token[i];
    }
  }
  return plain;
}

const JsonValue* step(const JsonValue& from, const std::string& token, Steps& steps) {
  const JsonValue::Array* array = from.as_array();
  if (array == nullptr) return find_field(from, token, steps);
  const std::optional<std::int64_t> index = parse_digits(token);
  if (!index || static_cast<std::size_t>(*index) >= array->size()) return nullptr;
  return &(*array)[static_cast<std::size_t>(*index)];
}

}  // namespace

const JsonValue* find_field(const JsonValue& object, std::string_view name, Steps& steps) {
  const JsonValue::Object* fields = object.as_object();
  if (fields == nullptr || !steps.take(1 + fields->size() / kFieldsAStep)) return nullptr;
  const auto found = std::find_if(fields->begin(), fields->end(), [&](const auto& field) {
    return field.first.size() == name.size() && steps.take(name.size() / kBytesAStep) &&
           field.first == name;
  });
  return found == fields->end() ? nullptr : &found->second;
}

const JsonValue* follow(const JsonValue& root, std::string_view reference, Steps& steps) {
  if (!reference.starts_with('#')) return nullptr;
  reference.remove_prefix(1);
  const JsonValue* place = &root;
  while (!reference.empty() && place != nullptr) {
    if (reference.front() != '/') return nullptr;
    reference.remove_prefix(1);
    const std::size_t end = std::min(reference.find('/'), reference.size());
    place = step(*place, unescaped(reference.substr(0, end)), steps);
    reference.remove_prefix(end);
  }
  return place;
}

}  // namespace petrel::schema
