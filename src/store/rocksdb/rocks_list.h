// How RocksStore makes a list of what a scan meets.
//
// Thread: any.

#pragma once

#include <optional>
#include <utility>

#include "base/result.h"
#include "store/browse.h"
#include "store/rocksdb/scan.h"

namespace petrel::store {

// Goes through the scan in the order of the list and gathers what `read` makes of each entry. An
// entry that it makes nothing of (an empty optional) is left out. So is one that is damaged, which
// is noted: the others are listed, and the next page goes on behind it.
template <typename T, typename Read>
Result<Listed<T>> gather(Database& database, Scan& scan, const Page& page, Read read) {
  Listed<T> listed;
  for (; scan.is_valid(); scan.step(page.order)) {
    Result<std::optional<T>> item = read();
    if (!item.ok() && item.error().kind == ErrorKind::Corrupt) {
      database.note(item.error(), "a record");
      continue;
    }
    if (!item.ok()) return item.error();
    if (!*item) continue;
    listed.has_more = listed.items.size() == page.limit;
    if (listed.has_more) break;
    listed.items.push_back(**std::move(item));
  }
  if (Status status = scan.status(); !status.ok()) return status.error();
  return listed;
}

}  // namespace petrel::store
