// Paging: how a list is asked for and how a page of it looks.
//
//   ?limit=50&iterator=msg_2gV…     the page that follows this item
//   ?limit=50&iterator=-msg_2gV…    the page that comes before it
//
//   {"data": […], "iterator": "msg_…", "prevIterator": "-msg_…", "done": false}
//
// A page has at most `limit` items, and fewer if they are large (kPageBytesMax).
//
// `iterator` is the last item's id, also on the last page; null if the page is empty.
// `prevIterator` is left out if the page is empty. `done` says that nothing more follows in the
// direction asked for.
//
// Thread: any.

#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/http/query.h"
#include "base/id.h"
#include "base/json_writer.h"
#include "base/result.h"
#include "base/try.h"
#include "store/browse.h"

namespace petrel::api {

inline constexpr std::int64_t kLimitDefault = 50;
inline constexpr std::int64_t kLimitMax = 250;

// What the items of one page may take up as JSON, whatever `limit` says; one is always shown.
inline constexpr std::size_t kPageBytesMax = 1024 * 1024;

struct PageRequest {
  store::Page page;  // As the store is asked: turned around if it goes backwards.
  bool is_backwards = false;
};

// `limit`, or its default. Invalid at "query.limit".
Result<std::size_t> read_limit(const Query& query);

// `prefix` is that of the ids in the list. Invalid at "query.limit", "query.iterator" or
// "query.order".
Result<PageRequest> read_page(const Query& query, std::string_view prefix, store::Order order);

// As above for a list that may be asked for in either order, by `order=ascending|descending`.
Result<PageRequest> read_ordered_page(const Query& query, std::string_view prefix,
                                      store::Order if_absent);

// A page of a list, in the order in which it is shown.
template <typename T>
struct Shown {
  std::vector<T> items;
  bool has_more = false;

  // Where to go on if that is further than the last item: what lies between was looked at and does
  // not fit the filter.
  std::optional<Ksuid> looked_until;
};

// The window that `page` opens into items that are ordered by id and all at hand.
template <typename T, typename IdOf>
store::Listed<T> window(std::vector<T> items, const store::Page& page, IdOf id_of) {
  const bool is_ascending = page.order == store::Order::Ascending;
  if (!is_ascending) std::reverse(items.begin(), items.end());
  const auto is_before = [&](const T& item) {
    if (!page.after) return false;
    return is_ascending ? id_of(item) <= *page.after : id_of(item) >= *page.after;
  };
  const auto first = std::find_if_not(items.begin(), items.end(), is_before);
  const auto left = static_cast<std::size_t>(items.end() - first);
  const auto end = first + static_cast<std::ptrdiff_t>(std::min(left, page.limit));
  return {.items = std::vector<T>(first, end), .has_more = left > page.limit};
}

// The most rows that one request looks at in search of those that fit its filter.
inline constexpr std::size_t kScanMax = 500;

// A page of the items that `keep` likes, out of a list that `fetch` gives page by page. Both answer
// with a Result. It stops after kScanMax rows; the page then says where to go on.
template <typename T, typename Fetch, typename Keep>
Result<Shown<T>> scan(store::Page page, Fetch fetch, Keep keep) {
  const std::size_t limit = page.limit;
  page.limit = limit + 1;  // Enough if everything fits.
  Shown<T> shown;
  for (std::size_t scanned = 0; scanned < kScanMax;) {
    ASSIGN_OR_RETURN(store::Listed<T> listed, fetch(page));
    for (T& item : listed.items) {
      page.after = item.id.ksuid();
      ASSIGN_OR_RETURN(const bool is_kept, keep(item));
      if (!is_kept) continue;
      if (shown.items.size() == limit) {
        shown.has_more = true;
        return shown;
      }
      shown.items.push_back(std::move(item));
    }
    if (!listed.has_more) return shown;
    if (listed.looked_until) {
      page.after = listed.looked_until;
      break;
    }
    scanned += listed.items.size();
    page.limit = static_cast<std::size_t>(kLimitMax);
  }
  shown.has_more = true;
  shown.looked_until = page.after;
  return shown;
}

// In the order in which it is shown.
template <typename T>
Shown<T> in_display_order(Shown<T> shown, const PageRequest& request) {
  if (request.is_backwards) std::reverse(shown.items.begin(), shown.items.end());
  return shown;
}

template <typename T>
Shown<T> in_display_order(store::Listed<T> listed, const PageRequest& request) {
  return in_display_order(Shown<T>{std::move(listed.items), listed.has_more, std::nullopt},
                          request);
}

// The two ends of a page, as ids; empty if the page is.
struct PageEnds {
  std::string first;
  std::string last;
  bool has_more = false;
};

// The items of a page as JSON, as many as have room, in the order in which they are shown. The
// others are taken out of the page; they are the ones furthest from where it began, and the next
// page begins with them.
template <typename T, typename Write>
std::vector<std::string> item_texts(Shown<T>& shown, bool is_backwards, Write write) {
  std::vector<std::string> texts;
  std::vector<T>& items = shown.items;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    JsonWriter json;
    write(is_backwards ? items[items.size() - 1 - i] : items[i], json);
    bytes += json.text().size();
    if (i > 0 && bytes > kPageBytesMax) {
      const auto count = static_cast<std::ptrdiff_t>(i);
      is_backwards ? items.erase(items.begin(), items.end() - count)
                   : items.erase(items.begin() + count, items.end());
      shown.has_more = true;
      shown.looked_until.reset();
      break;
    }
    texts.push_back(json.take());
  }
  if (is_backwards) std::reverse(texts.begin(), texts.end());
  return texts;
}

// `data`, and what is taken is given back at once.
void write_items(std::vector<std::string> texts, JsonWriter& json);

// Closes the object that holds `data`.
void write_page_end(const PageEnds& ends, JsonWriter& json);

// The whole page. `write(item, json)` writes one item, `id_of(item)` is its id, of an Id type.
template <typename T, typename IdOf, typename Write>
std::string page_text(Shown<T> shown, const PageRequest& request, IdOf id_of, Write write) {
  JsonWriter json;
  json.begin_object();
  write_items(item_texts(shown, request.is_backwards, write), json);
  PageEnds ends{.first = {}, .last = {}, .has_more = shown.has_more};
  using IdType = decltype(id_of(shown.items.front()));
  if (!shown.items.empty()) {
    ends.first = id_of(shown.items.front()).text();
    ends.last = id_of(shown.items.back()).text();
  }
  if (shown.looked_until) {
    (request.is_backwards ? ends.first : ends.last) =
        std::decay_t<IdType>(*shown.looked_until).text();
  }
  write_page_end(ends, json);
  return json.take();
}

}  // namespace petrel::api
