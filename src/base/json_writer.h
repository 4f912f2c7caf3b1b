// JsonWriter writes JSON from left to right into one string: no tree, no copies.
//
//   JsonWriter json;
//   json.begin_object();
//   json.field("id", "msg_1").field("attempt", 3);
//   json.end_object();
//   json.text()  → {"id":"msg_1","attempt":3}
//
// Strings are written as UTF-8 with what JSON forbids escaped; bytes that are not UTF-8 come out as
// U+FFFD, so the result is always valid JSON.
//
// Thread: confined.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace petrel {

class JsonWriter {
 public:
  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();

  // The name of the next value.
  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(bool truth);
  JsonWriter& value(std::int64_t number);
  JsonWriter& value(int number) { return value(std::int64_t{number}); }
  JsonWriter& value(double number);  // What is not finite is written as null.
  JsonWriter& null();

  // JSON that is already text, taken over as it is.
  JsonWriter& raw(std::string_view json);

  template <typename T>
  JsonWriter& field(std::string_view name, const T& content) {
    key(name);
    return value(content);
  }

  const std::string& text() const { return text_; }
  std::string take() { return std::move(text_); }

 private:
  void separate();

  std::string text_;
  bool needs_comma_ = false;
};

}  // namespace petrel
