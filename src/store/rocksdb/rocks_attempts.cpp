// What RocksStore says of attempts.

#include <algorithm>

#include "store/encoding.h"
#include "store/rocksdb/rocks_list.h"
#include "store/rocksdb/rocks_store.h"
#include "store/rocksdb/scan.h"

namespace petrel::store {
namespace {

// The most entries of an index that one question looks at in search of those that fit.
constexpr std::size_t kLookMax = 10'000;

// Where a list begins that is bounded in time: nothing before it has to be looked at.
std::optional<Ksuid> begin_of(const Page& page, const AttemptFilter& filter) {
  const bool is_descending = page.order == Order::Descending;
  const std::optional<WallTime>& bound = is_descending ? filter.before : filter.after;
  if (!bound) return page.after;
  const Ksuid begin = Ksuid::first_at(*bound);
  if (!page.after) return begin;
  return is_descending ? std::min(begin, *page.after) : std::max(begin, *page.after);
}

// Whether this one and all that follow are beyond the filter's time.
bool is_past(const AttemptFilter& filter, Order order, AttemptId id) {
  if (order == Order::Descending) return filter.after && id.time() <= *filter.after;
  return filter.before && id.time() >= *filter.before;
}

// Empty if there is none: retention may have been there first.
Result<std::optional<model::Attempt>> find_attempt(Database& database, MessageId message,
                                                   AttemptId id) {
  rocksdb::PinnableSlice value;
  const Result<bool> found = database.get(Family::Attempt, attempt_key(message, id).slice(), value);
  if (!found.ok()) return found.error();
  if (!*found) return std::optional<model::Attempt>();
  Result<model::Attempt> attempt = decode_attempt(message, id, view(value));
  if (!attempt.ok()) return attempt.error();
  return std::optional(*std::move(attempt));
}

}  // namespace

Result<Listed<model::Attempt>> RocksStore::attempts_of_message(MessageId message,
                                                               AttemptFilter filter, Page page) {
  using Found = std::optional<model::Attempt>;
  return ask([&](Database& database) -> Result<Listed<model::Attempt>> {
    std::optional<Key> after;
    if (page.after) after = attempt_key(message, AttemptId(*page.after));
    Scan scan(database, Family::Attempt, Key().id(message).slice(), Scan::OnDamage::Leap);
    scan.seek(page.order, after);
    return gather<model::Attempt>(database, scan, page, [&]() -> Result<Found> {
      const AttemptId id(last_ksuid_of(scan.key()));
      Result<model::Attempt> attempt = decode_attempt(message, id, view(scan.value()));
      if (!attempt.ok()) return attempt.error();
      if (filter.endpoint && attempt->delivery.endpoint != *filter.endpoint) return Found();
      if (!matches(filter, id, attempt->outcome.code())) return Found();
      return Found(*std::move(attempt));
    });
  });
}

Result<Listed<model::Attempt>> RocksStore::attempts_of_endpoint(EndpointId endpoint,
                                                                AttemptFilter filter, Page page) {
  return ask([&](Database& database) -> Result<Listed<model::Attempt>> {
    const std::optional<Ksuid> begin = begin_of(page, filter);
    std::optional<Key> after;
    if (begin) after = attempt_by_endpoint_key(endpoint, AttemptId(*begin));
    Scan scan(database, Family::AttemptByEndpoint, Key().id(endpoint).slice(),
              Scan::OnDamage::Leap);
    scan.seek(page.order, after);

    Listed<model::Attempt> listed;
    for (std::size_t looked = 0; scan.is_valid(); scan.step(page.order), ++looked) {
      const AttemptId id(last_ksuid_of(scan.key()));
      if (is_past(filter, page.order, id)) break;
      if (looked == kLookMax) {
        listed.has_more = true;
        return listed;
      }
      listed.looked_until = id.ksuid();
      const Result<AttemptMark> mark = decode_attempt_mark(view(scan.value()));
      if (!mark.ok()) {
        database.note(mark.error(), "attempt index " + id.text());
        continue;
      }
      if (!matches(filter, id, mark->code)) continue;
      if (listed.items.size() == page.limit) {
        listed.has_more = true;
        break;
      }
      Result<std::optional<model::Attempt>> attempt = find_attempt(database, mark->message, id);
      if (!attempt.ok() && attempt.error().kind == ErrorKind::Corrupt) {
        database.note(attempt.error(), "attempt " + id.text());
        continue;
      }
      if (!attempt.ok()) return attempt.error();
      if (*attempt) listed.items.push_back(**std::move(attempt));
    }
    listed.looked_until.reset();  // It came to the limit, or to the end.
    if (Status status = scan.status(); !status.ok()) return status.error();
    return listed;
  });
}

}  // namespace petrel::store
