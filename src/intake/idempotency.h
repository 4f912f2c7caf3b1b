// An idempotency key lets a producer that did not hear our answer ask again without making a second
// message.
//
// The key that was sent counts only together with who sent it and what for, so two tenants that
// choose the same one never meet. The body is remembered as well: the same key with another body is
// a mistake that the producer is told about.
//
// Thread: any.

#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

#include "base/id.h"
#include "base/time.h"
#include "store/store.h"

namespace petrel::intake {

inline constexpr Duration kIdempotencyKept = std::chrono::hours(12);
inline constexpr std::size_t kIdempotencyKeyBytesMax = 1024;

struct IdempotentRequest {
  OrganisationId organisation;
  std::string_view path;  // What was asked for.
  std::string_view key;
  std::string_view body;
};

store::IdempotentAnswer idempotent_answer(const IdempotentRequest& request, WallTime now);

}  // namespace petrel::intake
