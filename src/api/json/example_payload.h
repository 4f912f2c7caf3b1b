// The example payloads of event types: what their schemas give as `examples`.
//
//   {"1": {"type": "object", "examples": [{"id": 17}]}}
//
// Thread: any.

#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/json_writer.h"
#include "base/result.h"

namespace petrel::api {

// The type that always has an example, and needs no description.
inline constexpr std::string_view kPingType = "svix.ping";
inline constexpr std::string_view kPingPayload = R"({"success":true})";

// The example at `index` of the schema of version 1 or, if there is none, of the last version that
// has examples. NotFound if there is none at all; Invalid, without a field, if it has fewer. It is
// an object.
Result<std::string> example_payload(std::string_view schemas, std::size_t index);

// Any JSON as text.
void write_json(const JsonValue& value, JsonWriter& json);

}  // namespace petrel::api
