// Reading single fields of a JSON object that a person sent. Null, and a field of another kind than
// it should be, count as absent.
//
// Thread: any.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/time.h"

namespace petrel::sim::judge {

// Null if the text is not JSON.
JsonValue read_json(std::string_view text);

// Null if there is none, if it is null, or if `json` is no object.
const JsonValue* field(const JsonValue& json, std::string_view name);

std::optional<std::string> text_field(const JsonValue& json, std::string_view name);
std::optional<double> number_field(const JsonValue& json, std::string_view name);
std::optional<int> int_field(const JsonValue& json, std::string_view name);
std::optional<bool> bool_field(const JsonValue& json, std::string_view name);
std::optional<Duration> duration_field(const JsonValue& json, std::string_view name);
std::optional<WallTime> time_field(const JsonValue& json, std::string_view name);
std::vector<std::string> words_field(const JsonValue& json, std::string_view name);

std::optional<Duration> read_duration(const JsonValue& value);

// Whether both say the same, whatever the order of their fields.
bool is_same(const JsonValue& a, const JsonValue& b);

// The object with the fields of `change` in the place of its own: what a PATCH does. Null clears.
JsonValue merged(const JsonValue& object, const JsonValue& change);

}  // namespace petrel::sim::judge
