// How an attempt is counted in the metrics.
//
// Thread: any.

#pragma once

#include "metric/metrics.h"
#include "policy/outcome.h"

namespace petrel::node {

metric::AttemptLabel label_of(const policy::Outcome& outcome, bool is_success);

}  // namespace petrel::node
