#include "store/browse.h"

namespace petrel::store {

bool matches(const AttemptFilter& filter, AttemptId id, std::uint16_t code) {
  const policy::Outcome outcome = policy::Outcome::from_code(code);
  const int status_class = outcome.is_answer() ? outcome.status() / 100 : 0;
  if (filter.is_success && *filter.is_success != (status_class == 2)) return false;
  if (filter.status_class && *filter.status_class != status_class) return false;
  if (filter.before && id.time() >= *filter.before) return false;
  return !filter.after || id.time() > *filter.after;
}

}  // namespace petrel::store
