#include "lane/hold.h"

#include <fmt/format.h>

#include "base/duration_text.h"

namespace petrel::lane {

void Hold::extend(MonoTime until) {
  if (!until_ || *until_ < until) until_ = until;
}

std::optional<MonoTime> Hold::until(MonoTime now) const {
  if (!until_ || *until_ <= now) return std::nullopt;
  return until_;
}

std::string Hold::explain(MonoTime now) const {
  const auto end = until(now);
  if (!end) return {};
  return fmt::format("receiver asked us to wait; {} left", to_words(*end - now));
}

}  // namespace petrel::lane
