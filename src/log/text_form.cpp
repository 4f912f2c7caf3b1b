#include "log/text_form.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json_writer.h"
#include "base/rfc3339.h"

namespace petrel::log {
namespace {

constexpr std::string_view kPlain = "\x1b[0m";

std::string_view colour_of(Level level) {
  switch (level) {
    case Level::Debug:
      return "\x1b[2m";
    case Level::Info:
      return "\x1b[32m";
    case Level::Warn:
      return "\x1b[33m";
    case Level::Error:
      break;
  }
  return "\x1b[31m";
}

// As between the quotes of JSON, which escapes what steers a terminal but for the second set of
// control characters, U+0080 to U+009F.
std::string escaped(std::string_view text) {
  JsonWriter json;
  json.value(text);
  const std::string& quoted = json.text();
  std::string result;
  for (std::size_t i = 1; i + 1 < quoted.size(); ++i) {
    const auto byte = static_cast<unsigned char>(quoted[i]);
    const auto next = static_cast<unsigned char>(quoted[i + 1]);
    if (byte == 0xc2 && next < 0xa0) {
      result += fmt::format("\\u{:04x}", next);
      ++i;
    } else {
      result += quoted[i];
    }
  }
  return result;
}

// People read sentences, with their quotes as they are.
std::string sentence(std::string_view text) {
  std::string result;
  const std::string all = escaped(text);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_escape = all[i] == '\\' && i + 1 < all.size();
    if (is_escape && (all[i + 1] == '"' || all[i + 1] == '\\')) ++i;
    result += all[i];
  }
  return result;
}

bool needs_quotes(std::string_view escaped_text) {
  return escaped_text.empty() || escaped_text.find_first_of(" =\\") != std::string_view::npos;
}

void write_field(const Field& field, std::size_t text_bytes_max, std::string& out) {
  out += ' ';
  out += field.name;
  out += '=';
  if (const auto* number = std::get_if<std::int64_t>(&field.value)) {
    out += std::to_string(*number);
    return;
  }
  const std::string text = escaped(cut(std::get<std::string>(field.value), text_bytes_max));
  const std::string_view quote = needs_quotes(text) ? "\"" : "";
  out.append(quote).append(text).append(quote);
}

std::string to_text(const Line& line, Paint paint, std::size_t text_bytes_max) {
  const Level level = level_of(line.kind);
  std::string level_word = fmt::format("{:<5}", to_string(level));
  if (paint == Paint::Colours)
    level_word = fmt::format("{}{}{}", colour_of(level), level_word, kPlain);
  std::string text =
      fmt::format("{} {} {}: {}", to_rfc3339(line.at), level_word, name_of(line.kind),
                  sentence(cut(line.words.message, text_bytes_max)));
  if (!line.words.fields.empty()) text += ' ';  // Two of them, with the one before each field.
  for (const Field& field : line.words.fields) write_field(field, text_bytes_max, text);
  return text + '\n';
}

}  // namespace

std::string to_text(const Line& line, Paint paint) {
  std::string text;
  for (const std::size_t bytes_max : kTextBytesTried) {
    text = to_text(line, paint, bytes_max);
    if (text.size() <= kLineBytesMax) break;
  }
  return text;
}

}  // namespace petrel::log
