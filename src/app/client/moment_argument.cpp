#include "app/client/moment_argument.h"

#include "base/duration_text.h"
#include "base/rfc3339.h"

namespace petrel::app {

Result<std::string> moment_argument(std::string_view text, WallTime now) {
  if (const Result<Duration> ago = parse_duration(text); ago.ok()) {
    if (*ago > now.time_since_epoch()) return invalid("", "is too long ago");
    return to_rfc3339(now - *ago);
  }
  const Result<WallTime> moment = parse_rfc3339(text);
  if (!moment.ok()) {
    return invalid("", "must be a time such as 2026-03-09T14:05:06Z, or how long ago, such as 2h");
  }
  return to_rfc3339(*moment);
}

}  // namespace petrel::app
