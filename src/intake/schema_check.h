// Whether a payload is what its event type says, for types that want it (`validate`).
//
// The schema that counts is that of the highest version: of the keys of `schemas`, the one that is
// the largest whole number. Keys that are no number do not count.
//
// Thread: any. Each thread remembers a bounded number of compiled schemas.

#pragma once

#include <string_view>

#include "base/result.h"
#include "model/event_type.h"

namespace petrel::intake {

// Done if the type does not want it. The error is at "payload.<path>"; it is also Invalid if
// the payload is nested deeper than 64 levels or has a field that appears twice.
Status check_payload(const model::EventType& type, std::string_view payload);

// Whether payloads can be checked against the type's schemas at all. The error is at the version.
Status check_enforceable(const model::EventType& type);

}  // namespace petrel::intake
