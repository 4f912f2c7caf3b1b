// A leap leads a scan over keys that cannot be read, as those of a table's damaged block are.
//
// RocksDB does not say where such a block ends, so it is found by asking: at places that are twice
// as far away each time until one can be read, then by halves for the nearest such place. One block
// costs some hundred questions, each of them about a block that is at hand.
//
//      last key read        nearest place          first that can be read
//   ────────┤ x x x x x x x x x ├──────────────────────────┤
//
// Where two damaged blocks are close together, what lies between them may be leapt over as well.
//
// Thread: any. Pure, but for what it asks.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "store/browse.h"

namespace petrel::store {

// The longest key of ids and times fits in. Of a longer one the beginning counts.
inline constexpr std::size_t kPlaceBytes = 72;

// The nearest place beyond `from`, in this order, that can be read. Empty if there is none.
std::optional<std::string> find_readable(
    std::string_view from, Order order,
    const std::function<bool(const std::string& place)>& can_read);

}  // namespace petrel::store
