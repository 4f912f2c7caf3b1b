// The JSON form of an Endpoint, in the words of both generations of client libraries: `eventTypes`
// and `filterTypes`, `throttleRate` and `rateLimit`, and a `version` that is always 1.
//
// Its secret, its headers and the key of its client certificate are never part of what is written.
//
// Thread: any.

#pragma once

#include <optional>
#include <string_view>

#include "api/json/fields.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/result.h"
#include "model/endpoint.h"
#include "signature/secret.h"

namespace petrel::api {

// What the body says goes into `endpoint`; what it does not mention stays. Errors name the field
// below the body. POST and PUT start from an empty endpoint, PATCH from the one that is there.
Status read_endpoint(const JsonValue& body, model::Endpoint& endpoint);

// The name under which the body speaks of event types. Empty if it does not, or clears them.
std::string_view event_types_field(const JsonValue& body);

// A secret in the field of this name. Empty if it is absent or null: the server is to choose one.
Result<std::optional<signature::Secret>> read_secret(const Fields& fields, std::string_view name);

// The two fields that only a new endpoint has: `secret` and `headers`.
Result<std::optional<signature::Secret>> read_endpoint_secret(const JsonValue& body);
Status read_endpoint_headers(const JsonValue& body, model::Endpoint& endpoint);

void write_endpoint(const model::Endpoint& endpoint, JsonWriter& json);

// {"key": "whsec_…"}, or the public half of an asymmetric secret: `whpk_…`.
void write_endpoint_secret(const model::Endpoint& endpoint, JsonWriter& json);

}  // namespace petrel::api
