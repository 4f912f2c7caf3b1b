// Retry-After, and after the first newline the Date beside it: whatever they say, the wait is never
// negative and never longer than what can be added to a time.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/check.h"
#include "base/http_date.h"
#include "policy/retry_after.h"

namespace petrel::policy {
namespace {

constexpr WallTime kNow = wall_from_unix_seconds(1'773'065'106);  // 9 March 2026

void check_wait(std::string_view text) {
  const std::size_t newline = text.find('\n');
  RetryAfterHeaders headers;
  headers.retry_after = text.substr(0, newline);
  if (newline != std::string_view::npos) headers.date = text.substr(newline + 1);

  const std::optional<Duration> wait = parse_retry_after(headers, kNow);
  if (!wait) return;
  CHECK(*wait >= Duration::zero());
  CHECK(*wait <= std::chrono::years(1000));
}

// What is a date in any of the three forms is the same date in the form that we write.
void check_date(std::string_view text) {
  const std::optional<WallTime> time = parse_http_date(text, kNow);
  if (!time || *time >= wall_from_unix_seconds(253'402'300'800)) return;  // A leap second in 9999.
  CHECK(parse_http_date(to_http_date(*time), kNow) == time);
}

}  // namespace
}  // namespace petrel::policy

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  petrel::policy::check_wait(text);
  petrel::policy::check_date(text);
  return 0;
}
