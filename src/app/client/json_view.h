// Small questions to JSON that came from a server, which may be anything: what is not there, or of
// another kind, is as if it were empty.
//
//   text_at(answer, "iterator")          "msg_…", or ""
//   number_at(answer, "data.total")      42, or 0
//
// Thread: any.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace petrel::app {

// Null if there is none. A '.' goes one level down.
const JsonValue* value_at(const JsonValue& json, std::string_view path);

std::string text_at(const JsonValue& json, std::string_view path);
std::int64_t number_at(const JsonValue& json, std::string_view path);
bool flag_at(const JsonValue& json, std::string_view path);
bool is_there(const JsonValue& json, std::string_view path);  // And not null.

// Empty if it is no list.
const JsonValue::Array& list_at(const JsonValue& json, std::string_view path);

// An object with the text of each of its fields as it stood there, to be passed on to the byte.
class RawObject {
 public:
  // Invalid unless it is a whole and valid object.
  static Result<RawObject> parse(std::string_view text);

  // As JSON. Empty if there is no such field, or if it is null.
  std::string_view raw(std::string_view name) const;
  // Of a string; empty if it is none.
  std::string text(std::string_view name) const;

  std::vector<std::string> names() const;

  // The whole of it, as it stood there.
  const std::string& json() const { return json_; }

 private:
  std::string json_;
  std::vector<std::pair<std::string, std::string>> fields_;
};

// The objects of a list that is a field of an object.
Result<std::vector<RawObject>> raw_list(std::string_view text, std::string_view name);

// What a server said, for a terminal: without control characters, and cut at so many bytes.
std::string printable(std::string_view text, std::size_t bytes_max = 300);

}  // namespace petrel::app
