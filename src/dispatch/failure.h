// Failure is why an attempt got no answer: the outcome it counts as, and the words for people.
//
// Thread: any. Values.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "model/attempt.h"
#include "policy/outcome.h"

namespace petrel::dispatch {

struct Failure {
  policy::Outcome outcome;
  std::string error;  // "connection refused"

  // Of a fault of our DNS resolver: how long the name is not asked for again.
  std::optional<Duration> resolver_wait = std::nullopt;

  model::FaultCause cause = model::FaultCause::Other;  // Of a fault of ours.
  std::string for_operator = {};                       // See model::AttemptResult.
};

Failure failed(policy::FailureKind kind, std::string_view error);
Failure our_fault(std::string_view error, model::FaultCause cause = model::FaultCause::Other);

// Our proxy stands between us and all receivers: what it does is no fault of theirs.
Failure proxy_fault(std::string_view error);

// There is no file descriptor left for a connection, neither free nor of one that idles.
Failure no_descriptor();

// Our DNS resolver did not answer for `name`, and is not asked again for so long.
Failure resolver_fault(std::string_view name, Duration wait);

// The same words whatever lies behind the address: the one who chose it must not learn anything.
// The operator is told more.
Failure blocked(std::string for_operator);

// What a failed connect(), given by its errno, counts as. Want of descriptors, memory or ports is
// our own fault.
Failure connect_failure(int error, bool is_v4);

// What a failed read or write counts as; 0 stands for the end of the stream.
Failure broken_connection(int error);

}  // namespace petrel::dispatch
