// Reading the fields of a body's object: small readers, each with an error that says what is wrong,
// and the two ways of putting what they read where it belongs.
//
//   take(fields, "name", application.name, read_text)          absent: left as it is
//   take_or_clear(fields, "uid", application.uid, read_text)   null: back to what is empty
//
// So the same code serves POST and PUT, which start from an empty record, and PATCH, which starts
// from the one that is there. Errors name their field below the body. Unknown fields are ignored.
//
// Thread: any.

#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/json_writer.h"
#include "base/result.h"
#include "base/time.h"
#include "base/try.h"
#include "model/application.h"

namespace petrel::api {

// Borrows the value it was made from.
class Fields {
 public:
  // Invalid if it is not an object.
  static Result<Fields> of(const JsonValue& json);

  // Null if there is none.
  const JsonValue* find(std::string_view name) const;

  // Invalid at the first field that is none of these, for bodies in which a slip would do harm.
  Status only(std::initializer_list<std::string_view> names) const;

  // The first of these names that is there, for fields that were renamed over time; else the first.
  std::string_view first_of(std::initializer_list<std::string_view> names) const;

 private:
  explicit Fields(const JsonValue::Object& object) : object_(&object) {}

  const JsonValue::Object* object_;
};

// "must be a string, not a list".
Error wrong_kind(const JsonValue& value, std::string_view expected);

// A reader of text of `bytes_min` to `bytes_max` bytes without control characters that terminals
// and logs would act on.
struct TextReading {
  std::size_t bytes_min = 0;
  std::size_t bytes_max = 4096;

  Result<std::string> operator()(const JsonValue& value) const;
};

struct IntegerReading {
  int min = 0;
  int max = 0;

  Result<int> operator()(const JsonValue& value) const;
};

struct DurationReading {
  Duration min{};
  Duration max{};

  Result<Duration> operator()(const JsonValue& value) const;
};

Result<bool> read_bool(const JsonValue& value);
Result<std::vector<std::string>> read_texts(const JsonValue& value);

// An object of strings, at most 4,096 bytes as JSON. Null is an empty one.
Result<model::Metadata> read_metadata(const JsonValue& value);

void write_metadata(const model::Metadata& metadata, JsonWriter& json);

template <typename T, typename Read>
Status take(const Fields& fields, std::string_view name, T& place, const Read& read) {
  const JsonValue* value = fields.find(name);
  if (value == nullptr) return Done{};
  ASSIGN_OR_RETURN(place, under(name, read(*value)));
  return Done{};
}

template <typename T, typename Read>
Status take_or_clear(const Fields& fields, std::string_view name, T& place, const Read& read) {
  const JsonValue* value = fields.find(name);
  if (value == nullptr || !value->is_null()) return take(fields, name, place, read);
  place = T{};
  return Done{};
}

// The first of these that is not well.
Status first_error(std::initializer_list<Status> statuses);

}  // namespace petrel::api
