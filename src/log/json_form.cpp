#include "log/json_form.h"

#include "base/json_writer.h"
#include "base/rfc3339.h"

namespace petrel::log {
namespace {

std::string to_json(const Line& line, std::size_t text_bytes_max) {
  JsonWriter json;
  json.begin_object().field("time", to_rfc3339(line.at));
  json.field("level", to_string(level_of(line.kind))).field("kind", name_of(line.kind));
  json.field("message", cut(line.words.message, text_bytes_max));
  for (const Field& field : line.words.fields) {
    json.key(field.name);
    if (const auto* text = std::get_if<std::string>(&field.value)) {
      json.value(cut(*text, text_bytes_max));
    } else {
      json.value(std::get<std::int64_t>(field.value));
    }
  }
  json.end_object();
  return json.take() + '\n';
}

}  // namespace

std::string to_json(const Line& line) {
  std::string text;
  for (const std::size_t bytes_max : kTextBytesTried) {
    text = to_json(line, bytes_max);
    if (text.size() <= kLineBytesMax) break;
  }
  return text;
}

}  // namespace petrel::log
