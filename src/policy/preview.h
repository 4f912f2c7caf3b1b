// preview() plays one policy through many times, against a receiver that answers every attempt with
// a 503, and says when the attempts happen: the answer to "what have I configured here?".
//
// It asks decide() itself, so the table cannot say anything else than the server does.
//
// Thread: any.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "base/time.h"
#include "policy/decision.h"
#include "policy/retry_policy.h"

namespace petrel::policy {

// Samples times attempts: what one preview may keep in memory (80 MB).
inline constexpr std::int64_t kSampledAttemptsMax = 10'000'000;

struct PreviewSettings {
  int samples = 10'000;
  int rows_max = kAttemptsMax;  // No more than this many attempts are listed.
  std::uint64_t seed = 1;
};

// One attempt. The waits are those since the attempt before it, zero for the first.
struct PreviewRow {
  int attempt = 1;
  int samples = 0;  // How many of the samples came this far.
  Duration min{};
  Duration mean{};
  Duration p99{};
  Duration max{};
  Duration cumulative_mean{};  // Since the first attempt.

  // How the waits spread between min and max: the share of samples in each of ten equal parts.
  std::vector<double> spread;
};

struct Preview {
  std::vector<PreviewRow> rows;

  // How most of the samples end. Empty if a rule takes the 503 for a success.
  std::optional<DeadReason> ends;
};

// REQUIRES: validate(policy) is fine; samples and rows_max >= 1;
// samples · min(policy.attempts_max, rows_max) <= kSampledAttemptsMax.
Preview preview(const RetryPolicy& policy, const PreviewSettings& settings);

// {"attempts": [{"n": 1, "minMs": 0, …}], "ends": "exhausted"}
void write_preview(const Preview& preview, JsonWriter& json);

// A table for a terminal, with a small plot of each spread.
std::string preview_table(const Preview& preview);

}  // namespace petrel::policy
