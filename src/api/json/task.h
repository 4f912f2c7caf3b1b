// A task as JSON, and what several routes need to begin one.
//
// Thread: any.

#pragma once

#include "base/json_writer.h"
#include "model/task.h"
#include "net/http_message.h"

namespace petrel::api {

// All of its fields, within an object that is begun.
void write_task_fields(const model::Task& task, JsonWriter& json);

// With its progress, which is what `data` says unless the task found something out.
void write_task(const model::Task& task, JsonWriter& json);

// As client libraries know it: "running", "finished" or "failed". What is paused is still running,
// and what was cancelled has failed; `state` tells them apart.
std::string_view wire_status(const model::Task& task);

net::HttpResponse shown_task(int status, const model::Task& task);

}  // namespace petrel::api
