// The notice of a task that has ended:
//
//   {"type": "background_task.finished",
//    "data": {"taskId": "qtask_…", "task": "endpoint.recover", "status": "finished",
//             "data": {"done": 120, "skipped": 3}}}
//
// Thread: any. Pure.

#pragma once

#include <string>

#include "model/task.h"

namespace petrel::notice {

// Client libraries know two ways to end: one that was cancelled is `failed` for them.
//
// REQUIRES: it has ended.
std::string notice_of(const model::Task& task);

}  // namespace petrel::notice
