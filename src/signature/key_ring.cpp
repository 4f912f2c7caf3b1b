#include "signature/key_ring.h"

#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/rfc3339.h"

namespace petrel::signature {
namespace {

bool is_valid(const ExpiringSecret& old, WallTime now) { return now < old.expires_at; }

std::optional<WallTime> first_expiry(const std::vector<ExpiringSecret>& old, WallTime now) {
  std::optional<WallTime> first;
  for (const ExpiringSecret& each : old) {
    if (is_valid(each, now) && (!first || each.expires_at < *first)) first = each.expires_at;
  }
  return first;
}

Error too_many(const std::vector<ExpiringSecret>& valid, WallTime now) {
  const auto first = first_expiry(valid, now);
  CHECK(first.has_value());  // Ours: there are kOldMax of them, and all are valid.
  return conflict(
      fmt::format("{} old secrets are still valid, which is the most there can be; the "
                  "next one expires at {}",
                  valid.size(), to_rfc3339(*first)));
}

}  // namespace

Status KeyRing::rotate(Secret next, WallTime now, Duration grace) {
  if (grace < Duration::zero() || grace > kGraceMax) {
    const auto most = std::chrono::duration_cast<std::chrono::seconds>(kGraceMax).count();
    return invalid("gracePeriodSeconds", fmt::format("must be 0 to {} (7 days)", most));
  }
  if (next == current) return Done{};

  std::vector<ExpiringSecret> kept;
  for (const ExpiringSecret& each : old) {
    if (is_valid(each, now) && each.secret != next) kept.push_back(each);
  }
  if (grace > Duration::zero()) {
    if (kept.size() >= kOldMax) return too_many(kept, now);
    kept.insert(kept.begin(), ExpiringSecret{std::move(current), now + grace});
  }
  old = std::move(kept);
  current = std::move(next);
  return Done{};
}

std::vector<Secret> KeyRing::active(WallTime now) const {
  std::vector<Secret> secrets{current};
  for (const ExpiringSecret& each : old) {
    if (is_valid(each, now)) secrets.push_back(each.secret);
  }
  return secrets;
}

std::optional<WallTime> KeyRing::next_expiry(WallTime now) const { return first_expiry(old, now); }

void KeyRing::prune(WallTime now) {
  std::erase_if(old, [now](const ExpiringSecret& each) { return !is_valid(each, now); });
}

}  // namespace petrel::signature
