#include "notice/task_notice.h"

#include <gtest/gtest.h>

namespace petrel::notice {
namespace {

model::Task ended(model::TaskState state) {
  model::Task task;
  task.type = model::TaskType::BulkReplay;
  task.state = state;
  task.progress.done = 120;
  task.progress.skipped = 3;
  return task;
}

std::string about(const model::Task& task, const std::string& status) {
  return R"({"type":"background_task.finished","data":{"taskId":")" + task.id.text() +
         R"(","task":"endpoint.bulk-replay","status":")" + status + R"(","data":)";
}

TEST(TaskNotice, SaysWhatWasDone) {
  const model::Task task = ended(model::TaskState::Finished);

  EXPECT_EQ(notice_of(task), about(task, "finished") + R"({"done":120,"skipped":3}}})");
}

TEST(TaskNotice, SaysWhatWasFoundOut) {
  model::Task task = ended(model::TaskState::Finished);
  task.data = R"({"a":1})";

  EXPECT_EQ(notice_of(task), about(task, "finished") + R"({"a":1}}})");
}

TEST(TaskNotice, WhatWasCancelledDidNotFinish) {
  for (const model::TaskState state : {model::TaskState::Failed, model::TaskState::Cancelled}) {
    const model::Task task = ended(state);
    EXPECT_EQ(notice_of(task), about(task, "failed") + R"({"done":120,"skipped":3}}})");
  }
}

}  // namespace
}  // namespace petrel::notice
