#include "notice/task_notice.h"

#include <cstdint>

#include "base/check.h"
#include "base/json_writer.h"
#include "notice/notice_type.h"

namespace petrel::notice {

std::string notice_of(const model::Task& task) {
  CHECK(task.has_ended());
  JsonWriter json;
  json.begin_object().field("type", name_of(NoticeType::TaskFinished));
  json.key("data").begin_object();
  json.field("taskId", task.id.text()).field("task", model::to_string(task.type));
  json.field("status", task.state == model::TaskState::Finished ? "finished" : "failed");
  json.key("data");
  if (task.data.empty()) {
    json.begin_object();
    json.field("done", static_cast<std::int64_t>(task.progress.done));
    json.field("skipped", static_cast<std::int64_t>(task.progress.skipped));
    json.end_object();
  } else {
    json.raw(task.data);
  }
  json.end_object().end_object();
  return json.take();
}

}  // namespace petrel::notice
