// Line is one entry of the log: when, what about, a sentence for people, and fields for machines.
// Fields carry the words of the API: appId, endpointId, msgId.
//
// It never holds a secret, nor what may be one: of a receiver's URL only its origin, and nothing of
// payloads, headers and responses.
//
// Thread: any. Values.

#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/time.h"
#include "log/kind.h"

namespace petrel::log {

struct Field {
  // The name outlives the line: a literal.
  Field(std::string_view the_name, std::string text) : name(the_name), value(std::move(text)) {}
  Field(std::string_view the_name, std::string_view text)
      : name(the_name), value(std::string(text)) {}
  Field(std::string_view the_name, const char* text) : name(the_name), value(std::string(text)) {}
  template <std::integral Number>
  Field(std::string_view the_name, Number number)
      : name(the_name), value(static_cast<std::int64_t>(number)) {}

  std::string_view name;
  std::variant<std::string, std::int64_t> value;
};

// What whoever writes a line has to say.
struct Words {
  std::string message;
  std::vector<Field> fields = {};
};

struct Line {
  WallTime at;
  Kind kind;
  Words words;
};

// What one write() to a pipe takes in one piece, so that the lines of several writers do not mix.
// No line is longer, with its newline.
inline constexpr std::size_t kLineBytesMax = 4096;

// How much of each text a line shows is tried in this order until the line is short enough.
inline constexpr std::size_t kTextBytesTried[] = {2048, 512, 128, 32};

// The text, or its beginning and "…" if it has more bytes than that. It is cut between characters.
std::string cut(std::string_view text, std::size_t bytes_max);

}  // namespace petrel::log
