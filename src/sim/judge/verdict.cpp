#include "sim/judge/verdict.h"

#include <algorithm>
#include <string_view>

#include "base/http_date.h"
#include "base/text.h"

namespace petrel::sim::judge {
namespace {

// More than any cap; a number that does not fit is as long.
constexpr Duration kForever = std::chrono::years(100);
constexpr std::size_t kWishBytesMax = 256;

bool has_word(std::string_view list, std::string_view word) {
  list = list.substr(0, kWishBytesMax);
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    if (equals_ignoring_case(trim(list.substr(0, comma)), word)) return true;
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 1);
  }
  return false;
}

}  // namespace

bool is_our_fault(Reply kind) { return kind == Reply::OurFault || kind == Reply::ResolverFault; }

bool is_success(const Policy& policy, Reply kind, int status) {
  if (is_our_fault(kind) || kind == Reply::Blocked) return false;
  return treatment_of(policy, kind, status).action == Action::Success;
}

Verdict verdict_of(const Policy& policy, Reply kind, int status) {
  if (is_our_fault(kind) || kind == Reply::Blocked || kind == Reply::StaleReset) {
    return Verdict::Nothing;
  }
  if (is_success(policy, kind, status)) return Verdict::Success;
  if (kind != Reply::Answered) return Verdict::Failure;
  if (status == 429) return Verdict::Throttled;
  return status == 408 || status / 100 == 5 ? Verdict::Failure : Verdict::Reachable;
}

Load load_of(const Policy& policy, Reply kind, int status) {
  if (is_success(policy, kind, status)) return Load::Good;
  if (kind == Reply::Timeout) return Load::Pushback;
  if (kind != Reply::Answered) return Load::Nothing;
  if (status == 429 || (status >= 502 && status <= 504)) return Load::Pushback;
  return status / 100 == 4 && status != 408 ? Load::Good : Load::Nothing;
}

std::optional<Duration> wish_of(const Replied& reply, WallTime now) {
  if (reply.kind != Reply::Answered) return std::nullopt;
  const std::string_view text = trim(reply.retry_after);
  if (text.empty()) return std::nullopt;
  if (std::all_of(text.begin(), text.end(), is_digit)) {
    const auto seconds = parse_digits(text);
    const bool fits = seconds && *seconds < kForever / std::chrono::seconds(1);
    return fits ? Duration(std::chrono::seconds(*seconds)) : kForever;
  }
  const auto until = parse_http_date(text, now);
  if (!until) return std::nullopt;
  const WallTime theirs = parse_http_date(trim(reply.date), now).value_or(now);
  if (*until <= theirs) return std::nullopt;
  return *until - theirs;
}

bool aborts_message(const Replied& reply) {
  return reply.kind == Reply::Answered && has_word(reply.webhook_delivery, "abort-message");
}

bool disables_endpoint(const Replied& reply) {
  return reply.kind == Reply::Answered && has_word(reply.webhook_delivery, "disable");
}

}  // namespace petrel::sim::judge
