#include "api/http/paging.h"

#include <utility>

#include <fmt/format.h>

#include "base/try.h"

namespace petrel::api {
namespace {

store::Order opposite(store::Order order) {
  return order == store::Order::Ascending ? store::Order::Descending : store::Order::Ascending;
}

}  // namespace

Result<std::size_t> read_limit(const Query& query) {
  ASSIGN_OR_RETURN(const auto limit, query.number("limit"));
  const std::int64_t count = limit.value_or(kLimitDefault);
  if (count < 1 || count > kLimitMax) {
    return invalid("query.limit", fmt::format("must be 1 to {}", kLimitMax));
  }
  return static_cast<std::size_t>(count);
}

Result<PageRequest> read_page(const Query& query, std::string_view prefix, store::Order order) {
  PageRequest request;
  request.page.order = order;

  ASSIGN_OR_RETURN(request.page.limit, read_limit(query));

  std::string_view iterator = query.text("iterator");
  if (iterator.empty()) return request;
  if (iterator.starts_with('-')) {
    iterator.remove_prefix(1);
    request.is_backwards = true;
    request.page.order = opposite(order);
  }
  ASSIGN_OR_RETURN(request.page.after, under("query.iterator", parse_id(prefix, iterator)));
  return request;
}

Result<PageRequest> read_ordered_page(const Query& query, std::string_view prefix,
                                      store::Order if_absent) {
  const std::string_view order = query.text("order");
  if (order == "ascending") return read_page(query, prefix, store::Order::Ascending);
  if (order == "descending") return read_page(query, prefix, store::Order::Descending);
  if (order.empty()) return read_page(query, prefix, if_absent);
  return invalid("query.order", "must be ascending or descending");
}

void write_items(std::vector<std::string> texts, JsonWriter& json) {
  json.key("data").begin_array();
  for (std::string& text : texts) json.raw(std::exchange(text, {}));
  json.end_array();
}

void write_page_end(const PageEnds& ends, JsonWriter& json) {
  json.key("iterator");
  if (ends.last.empty()) {
    json.null();
  } else {
    json.value(ends.last);
  }
  if (!ends.first.empty()) json.field("prevIterator", "-" + ends.first);
  json.field("done", !ends.has_more).end_object();
}

}  // namespace petrel::api
