#include "policy/retry_after.h"

#include <algorithm>

#include "base/http_date.h"
#include "base/text.h"

namespace petrel::policy {
namespace {

// Far beyond any cap, and far from where adding it to a time would overflow.
constexpr Duration kLongest = std::chrono::years(1000);

}  // namespace

std::optional<Duration> parse_retry_after(const RetryAfterHeaders& headers, WallTime now) {
  const std::string_view text = trim(headers.retry_after);
  if (text.empty()) return std::nullopt;

  if (std::all_of(text.begin(), text.end(), is_digit)) {
    const auto seconds = parse_digits(text);
    const std::int64_t most = std::chrono::duration_cast<std::chrono::seconds>(kLongest).count();
    if (!seconds || *seconds > most) return kLongest;
    return std::chrono::seconds(*seconds);
  }

  const auto until = parse_http_date(text, now);
  if (!until) return std::nullopt;
  const WallTime reference = parse_http_date(trim(headers.date), now).value_or(now);
  if (*until <= reference) return std::nullopt;
  return std::min(*until - reference, kLongest);
}

}  // namespace petrel::policy
