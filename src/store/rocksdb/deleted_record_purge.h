// Takes out the records of applications and endpoints that were deleted so long ago that
// nothing names them any more.
//
// Thread: any.

#pragma once

#include "base/result.h"
#include "base/time.h"
#include "store/rocksdb/database.h"

namespace petrel::store {

// Those that were deleted longer ago than anything of them is kept, by the server's retention or by
// the application's own: endpoints without live deliveries, and applications without endpoints.
Status forget_deleted(Database& database, WallTime now, Duration retention);

}  // namespace petrel::store
