// classify() says what an outcome means for its delivery: the policy's own rules first, then what
// holds for all.
//
//   2xx                                        success
//   408, 429, 5xx, no answer at all            retry
//   404                                        retry, but three of them are final: it may be a
//                                              deployment under way or an address that is gone
//   dns                                        retry, but three of them are final
//   410                                        pause
//   3xx, every other 4xx                       fail; redirects are never followed
//   anything else (1xx, 6xx …)                 retry
//
// Any rule that matches beats this table; among rules, one for a status beats one for its class.
//
// Thread: any.

#pragma once

#include <optional>
#include <span>

#include "policy/outcome.h"
#include "policy/rule.h"

namespace petrel::policy {

// The rule that applies. For a built-in line it is a rule made up for that outcome.
//
// REQUIRES: the outcome is Answered or Failed.
Rule classify(const Outcome& outcome, std::span<const Rule> rules);

}  // namespace petrel::policy
