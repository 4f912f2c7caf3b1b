#include "model/task.h"

#include <set>

#include <gtest/gtest.h>

namespace petrel::model {
namespace {

Message message_of(std::string event_type) {
  Message message;
  message.event_type = std::move(event_type);
  message.channels = {"north", "south"};
  message.tags = {"blue"};
  return message;
}

TEST(Selection, WantsEveryMessageUnlessItSaysOtherwise) {
  EXPECT_TRUE(Selection().wants(message_of("order.paid")));
  EXPECT_FALSE(Selection().looks_inside());
}

TEST(Selection, WantsWhatFitsAllThatItSays) {
  const Selection paid{.event_types = {"order.sent", "order.paid"}};
  EXPECT_TRUE(paid.wants(message_of("order.paid")));
  EXPECT_FALSE(paid.wants(message_of("order.lost")));

  EXPECT_TRUE(Selection{.channel = "south"}.wants(message_of("a")));
  EXPECT_FALSE(Selection{.channel = "east"}.wants(message_of("a")));
  EXPECT_TRUE(Selection{.tag = "blue"}.wants(message_of("a")));
  EXPECT_FALSE((Selection{.channel = "south", .tag = "red"}.wants(message_of("a"))));
}

TEST(Task, ItsTypesGoByNamesThatClientLibrariesKnow) {
  const std::set<std::string_view> known = {"endpoint.recover",          "endpoint.replay",
                                            "endpoint.bulk-replay",      "application.stats",
                                            "application.purge_content", "event-type.aggregate"};
  std::set<std::string_view> words;
  for (int i = 0; i <= static_cast<int>(TaskType::EventTypeAggregate); ++i) {
    EXPECT_TRUE(known.contains(to_string(static_cast<TaskType>(i))));
    words.insert(word_for(static_cast<TaskType>(i)));
  }
  EXPECT_EQ(words.size(), 7U) << "our own words tell all of them apart";
}

TEST(Task, APausedOneIsStillUnderWay) {
  Task task;
  EXPECT_FALSE(task.has_ended());
  task.state = TaskState::Paused;
  EXPECT_FALSE(task.has_ended());
  for (const TaskState state : {TaskState::Finished, TaskState::Cancelled, TaskState::Failed}) {
    task.state = state;
    EXPECT_TRUE(task.has_ended());
  }
}

}  // namespace
}  // namespace petrel::model
