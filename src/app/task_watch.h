// Watching a task that goes on in the server, by a bar on a terminal; and what became of it, in a
// sentence.
//
// Ctrl-C ends the watching and not the task.
//
// Thread: any.

#pragma once

#include <string>

#include "app/client/api_client.h"
#include "base/json.h"
#include "base/result.h"

namespace petrel::app {

// Where the tasks of an application are, or those of the organisation if that is empty.
std::string task_path(const std::string& application, const std::string& task);

// "1,200 of 5,000, 400 a minute, 4m 21s left"
std::string progress_text(const JsonValue& task);

// "5,000 sent again: 4,998 delivered at once, 2 failed at once; 3 skipped"
std::string outcome_text(const JsonValue& task);

// 0 to 1.
double progress_share(const JsonValue& task);

// Watches until it has ended, and says how. How the command ends.
Result<int> watch_task(ApiClient& api, const std::string& application, const std::string& task,
                       bool is_json);

}  // namespace petrel::app
