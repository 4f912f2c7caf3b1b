// Queries of lists: limits, times, orders and iterators of every kind. What is taken for a cursor
// is one that reads the same when it is written again.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "api/http/paging.h"
#include "api/http/query.h"
#include "api/routes/delivery_walk.h"
#include "base/check.h"

namespace petrel::api {
namespace {

void check_query(std::string_view text) {
  const Query query(text);
  const Result<PageRequest> page =
      read_ordered_page(query, MessageId::kPrefix, store::Order::Descending);
  if (page.ok()) {
    CHECK(page->page.limit >= 1 && page->page.limit <= kLimitMax);
  } else {
    CHECK(page.error().kind == ErrorKind::Invalid);
    CHECK(page.error().field.starts_with("query."));
  }
  for (const std::string_view name : {"before", "after"}) {
    const auto time = query.time(name);
    CHECK(time.ok() || time.error().kind == ErrorKind::Invalid);
  }
  CHECK(query.list("event_types").size() <= text.size());
}

void check_cursor(std::string_view text) {
  const auto cursor = DeliveryCursor::parse(text);
  if (!cursor) return;
  const auto again = DeliveryCursor::parse(cursor->text());
  CHECK(again.has_value());
  CHECK(again->key == cursor->key);
  CHECK(again->died_at == cursor->died_at);
}

}  // namespace
}  // namespace petrel::api

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  petrel::api::check_query(text);
  petrel::api::check_cursor(text);
  return 0;
}
