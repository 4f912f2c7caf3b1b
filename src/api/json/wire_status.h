// How the client libraries call what became of a delivery: a number and a word.
//
//   0 success   1 pending   2 fail   3 sending   4 canceled
//
// `sending` is theirs for what was tried and is tried again. `canceled` is known to newer libraries
// only, which say so by `expanded_statuses=true`; for the others it is a failure.
//
// Thread: any.

#pragma once

#include <optional>
#include <string_view>

#include "api/http/query.h"
#include "base/json_writer.h"
#include "base/result.h"
#include "model/delivery.h"

namespace petrel::api {

struct WireStatus {
  int number = 0;
  std::string_view text;

  friend bool operator==(const WireStatus&, const WireStatus&) = default;
};

WireStatus wire_status(const model::Delivery& delivery, bool is_expanded);

// The `status` of a query, if it has one. Invalid at "query.status".
Result<std::optional<int>> read_status(const Query& query);

// Whether the caller knows `canceled`. Invalid at "query.expanded_statuses".
Result<bool> read_expanded(const Query& query);

// The fields status, statusText and nextAttempt; the last one is null unless it is live.
void write_wire_status(const model::Delivery& delivery, bool is_expanded, JsonWriter& json);

}  // namespace petrel::api
