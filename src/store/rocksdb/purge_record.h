// How far the purge of an application has come, as it is stored.
//
// Every message with a smaller id is gone, or is in the list of those to be looked at again. Should
// a period become shorter than it was when they were looked at, all of them are looked at anew.
//
// Thread: any. Values.

#pragma once

#include <string>
#include <string_view>

#include "base/id.h"
#include "base/result.h"
#include "model/retention.h"

namespace petrel::store {

struct PurgeCursor {
  MessageId last;  // The last one that was looked at.
  model::Retention retention;

  friend bool operator==(const PurgeCursor&, const PurgeCursor&) = default;
};

void encode(const PurgeCursor& cursor, std::string& out);
Result<PurgeCursor> decode_purge_cursor(std::string_view bytes);

}  // namespace petrel::store
