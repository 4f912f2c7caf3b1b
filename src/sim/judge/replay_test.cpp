#include <gtest/gtest.h>

#include "sim/judge/testing/trial.h"

namespace petrel::sim::judge {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TaskId task_id(std::uint8_t number) {
  Ksuid::Bytes bytes{};
  bytes.back() = number;
  return TaskId(Ksuid(bytes));
}

// Dead letters of one endpoint, and a task that puts them back.
class ReplayTest : public testing::Test {
 protected:
  Trial trial;
  EndpointId endpoint = trial.endpoint();
  TaskId task = task_id(1);
  std::vector<DeliveryName> dead;

  void SetUp() override {
    for (int i = 0; i < 8; ++i) {
      const DeliveryName name{endpoint, trial.post()};
      const std::uint64_t request = trial.request(name);
      trial.reply(request, 400);
      OnDisk record = trial.record(request, "dead", "permanent");
      record.updated_at = trial.now().wall;
      trial.hear(record);
      dead.push_back(name);
    }
    trial.wait(minutes(1));
  }
  std::uint64_t ask(Act act, std::string json = "{}") {
    return trial.ask({.act = act, .task = task, .json = std::move(json)});
  }
  void start(std::string json, Act act = Act::StartTask) {
    const std::uint64_t number = ask(act, std::move(json));
    write({.state = "running", .by = By::Person});
    trial.tell(number, 202);
  }
  OnDisk record(const DeliveryName& name, std::string state, By by = By::Task) const {
    return {.application = trial.application(),
            .endpoint = name.endpoint,
            .message = name.message,
            .state = std::move(state),
            .due_at = trial.now().wall,
            .updated_at = trial.now().wall,
            .by = by,
            .task = by == By::Task ? task : TaskId()};
  }
  void put_back(const DeliveryName& name) {
    trial.hear(TaskStep{task});
    trial.hear(record(name, "pending"));
  }
  void put_back(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i <= last; ++i) put_back(dead[i]);
  }
  void write(TaskOnDisk record) {
    record.task = task;
    trial.hear(record);
  }

  const std::string slow = R"({"type": "replay", "ratePerMinute": 6, "ramp": false})";
  const std::string fast = R"({"type": "replay", "ratePerMinute": 600, "ramp": false})";
};

TEST_F(ReplayTest, KeepsItsPace) {
  start(slow);
  put_back(0, 1);
  EXPECT_EQ(trial.rules(), "") << "one that is due, and one to catch up";
  trial.attempt(dead[0], 200);
  trial.attempt(dead[1], 200);
  trial.wait(seconds(9));

  put_back(dead[2]);

  EXPECT_EQ(trial.rules(), "replay rate");
}

TEST_F(ReplayTest, OneEveryTenSecondsIsRight) {
  start(slow);
  put_back(0, 1);
  trial.attempt(dead[0], 200);
  trial.attempt(dead[1], 200);
  trial.wait(seconds(10));

  put_back(dead[2]);

  EXPECT_EQ(trial.rules(), "");
}

TEST_F(ReplayTest, InItsFirstMinuteARampHasTheRateWhereItBegan) {
  start(R"({"type": "replay", "ratePerMinute": 6})");
  put_back(0, 1);

  put_back(dead[2]);

  EXPECT_EQ(trial.rules(), "replay rate");
}

TEST_F(ReplayTest, TheMinuteRunsFromItsFirstStepAlsoIfThatWasLost) {
  start(R"({"type": "replay", "ratePerMinute": 6})");
  trial.hear(TaskStep{task});
  trial.wait(minutes(1));

  put_back(0, 2);

  EXPECT_EQ(trial.rules(), "");
}

TEST_F(ReplayTest, AClockThatIsSetForwardMakesItForgetOneWait) {
  start(slow);
  trial.hear(ClockSet{hours(1)});
  put_back(0, 2);
  EXPECT_EQ(trial.rules(), "");

  put_back(dead[3]);

  EXPECT_EQ(trial.rules(), "replay rate");
}

TEST_F(ReplayTest, AClockThatIsSetBackDoesNot) {
  start(slow);
  trial.hear(ClockSet{-hours(1)});

  put_back(0, 2);

  EXPECT_EQ(trial.rules(), "replay rate");
}

TEST_F(ReplayTest, ItsPaceIsThatOfHandingOver) {
  start(slow);
  trial.hear(TaskStep{task});
  OnDisk late = record(dead[0], "pending");
  late.handed_over = trial.now().mono;
  trial.wait(seconds(10));
  trial.hear(late);

  put_back(1, 2);

  EXPECT_EQ(trial.rules(), "") << "three at once on disk, but the first was begun before";
}

TEST_F(ReplayTest, ChangesNothingTwice) {
  start(fast);
  put_back(dead[0]);

  put_back(dead[0]);

  EXPECT_NE(trial.rules().find("replayed twice"), std::string::npos);
}

TEST_F(ReplayTest, ChangesOnlyWhatItIsAbout) {
  start(R"({"type": "replay", "reasons": ["exhausted"]})");

  put_back(dead[0]);

  EXPECT_EQ(trial.rules(), "replay unmeant");
}

TEST_F(ReplayTest, WhatDiesAfterItWasAskedForIsNotMeant) {
  start(fast);
  const DeliveryName later{endpoint, trial.post()};
  const std::uint64_t request = trial.request(later);
  trial.reply(request, 400);
  OnDisk died = trial.record(request, "dead", "permanent");
  died.updated_at = trial.now().wall;
  trial.hear(died);

  put_back(later);

  EXPECT_EQ(trial.rules(), "replay unmeant");
}

TEST_F(ReplayTest, WhatDiedBeforeAndCameOnDiskLaterIsMeant) {
  const DeliveryName late{endpoint, trial.post()};
  const std::uint64_t request = trial.request(late);
  trial.reply(request, 400);
  OnDisk died = trial.record(request, "dead", "permanent");
  died.updated_at = trial.now().wall;
  trial.wait(milliseconds(1));
  start(fast);
  trial.hear(died);

  put_back(late);

  EXPECT_EQ(trial.rules(), "");
}

TEST_F(ReplayTest, ABulkReplayTakesTheStatusOfTheLastAnswer) {
  start(R"({"type": "bulk-replay", "statusCodeClass": 400, "ratePerMinute": 600})");
  put_back(dead[0]);
  EXPECT_EQ(trial.rules(), "");

  task = task_id(2);
  start(R"({"type": "bulk-replay", "statusCodeClass": 500, "ratePerMinute": 600})");
  put_back(dead[1]);

  EXPECT_EQ(trial.rules(), "replay unmeant");
}

TEST_F(ReplayTest, SkipsNothing) {
  start(fast);
  put_back(0, 6);

  write({.state = "finished", .total = 8, .done = 7, .skipped = 1});

  EXPECT_EQ(trial.rules(), "replay skipped");
}

TEST_F(ReplayTest, WhatOthersChangedIsNotSkipped) {
  start(fast);
  put_back(0, 6);
  trial.hear(record(dead[7], "discarded", By::Person));

  write({.state = "finished", .total = 8, .done = 7, .skipped = 1});

  EXPECT_EQ(trial.rules(), "");
}

TEST_F(ReplayTest, WhatOthersWereFasterWithCountsAsDone) {
  start(fast);
  put_back(0, 6);
  trial.hear(record(dead[7], "discarded", By::Person));
  write({.state = "running", .total = 8, .done = 8, .overtaken = 1});

  write({.state = "finished", .total = 8, .done = 8});

  EXPECT_EQ(trial.rules(), "");
}

TEST_F(ReplayTest, ItsSumsAddUp) {
  start(fast);
  put_back(0, 7);

  write({.state = "finished", .total = 9, .done = 8});

  EXPECT_EQ(trial.rules(), "replay skipped");
}

TEST_F(ReplayTest, CountsWhatItHasDone) {
  start(fast);
  put_back(0, 7);

  write({.state = "finished", .total = 9, .done = 9});

  EXPECT_EQ(trial.rules(), "replay skipped");
}

TEST_F(ReplayTest, AnAnsweredOneIsOnDisk) {
  trial.tell(ask(Act::StartTask, slow), 202);

  EXPECT_EQ(trial.rules(), "replay skipped");
}

TEST_F(ReplayTest, ComesToAnEnd) {
  start(slow);
  put_back(dead[0]);
  trial.attempt(dead[0], 200);
  write({.state = "running", .total = 8, .done = 1});

  trial.dump();

  EXPECT_EQ(trial.rules(), "replay skipped");
}

TEST_F(ReplayTest, OneThatIsPausedNeedNotEnd) {
  start(slow);
  write({.state = "paused", .by = By::Person});

  trial.dump();

  EXPECT_EQ(trial.rules(), "");
}

TEST_F(ReplayTest, StaysPausedUntilAPersonResumesIt) {
  start(slow);
  write({.state = "paused", .by = By::Person});

  write({.state = "running"});

  EXPECT_EQ(trial.rules(), "replay word");
}

TEST_F(ReplayTest, APersonResumesIt) {
  start(slow);
  write({.state = "paused", .by = By::Person});
  write({.state = "running", .by = By::Person});

  put_back(dead[0]);

  EXPECT_EQ(trial.rules(), "");
}

TEST_F(ReplayTest, ChangesNothingWhileItIsPaused) {
  start(slow);
  write({.state = "paused", .by = By::Person});

  put_back(dead[0]);

  EXPECT_EQ(trial.rules(), "replay word");
}

TEST_F(ReplayTest, AnAnsweredPauseIsOnDisk) {
  start(slow);
  trial.wait(milliseconds(1));

  trial.tell(ask(Act::PauseTask), 200);

  EXPECT_EQ(trial.rules(), "replay word");
}

TEST_F(ReplayTest, AnotherPersonMayHaveResumedItMeanwhile) {
  start(slow);
  const std::uint64_t pause = ask(Act::PauseTask);
  write({.state = "paused", .by = By::Person});
  write({.state = "running", .by = By::Person});

  trial.tell(pause, 200);

  EXPECT_EQ(trial.rules(), "");
}

TEST_F(ReplayTest, ACancelledOneStaysSo) {
  start(slow);
  write({.state = "cancelled", .by = By::Person});

  write({.state = "finished"});

  EXPECT_EQ(trial.rules().substr(0, 11), "replay word");
}

TEST_F(ReplayTest, ItsProgressNeverGoesBack) {
  start(slow);
  write({.state = "running", .done = 2});

  write({.state = "running", .done = 1});

  EXPECT_EQ(trial.rules(), "replay word");
}

TEST_F(ReplayTest, APersonDoesNotWriteItsProgress) {
  start(slow);

  write({.state = "paused", .done = 1, .by = By::Person});

  EXPECT_EQ(trial.rules(), "replay word");
}

TEST_F(ReplayTest, OneStepMayBeUnderWayWhenAnEndpointStops) {
  start(fast);
  trial.order(Act::Pause, endpoint);
  trial.wait(milliseconds(1));
  trial.hear(Counted{});
  trial.wait(milliseconds(500));
  put_back(0, 1);
  EXPECT_EQ(trial.rules(), "") << "the step that was under way";
  trial.wait(milliseconds(100));

  put_back(dead[2]);

  EXPECT_EQ(trial.rules(), "replay rate");
}

TEST_F(ReplayTest, StandsStillWhileTheEndpointTakesNothing) {
  start(slow);
  trial.order(Act::Pause, endpoint);
  trial.wait(milliseconds(1));
  trial.hear(Counted{});
  trial.wait(seconds(1) + Duration(1));

  put_back(dead[0]);

  EXPECT_EQ(trial.rules(), "replay rate");
}

// A task that deletes the payloads.
class ExpungeTaskTest : public ReplayTest {
 protected:
  void expunge(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i <= last; ++i) {
      trial.hear(PayloadGone{trial.application(), dead[i].message, By::Task, task});
    }
  }
};

TEST_F(ExpungeTaskTest, DeletesAllPayloads) {
  start("{}", Act::Expunge);
  expunge(0, 6);

  write({.state = "finished", .total = 8, .done = 7, .skipped = 1});

  EXPECT_EQ(trial.rules(), "replay skipped");
}

TEST_F(ExpungeTaskTest, WhatAPersonDeletedIsNotSkipped) {
  start("{}", Act::Expunge);
  expunge(0, 6);
  trial.hear(PayloadGone{trial.application(), dead[7].message});

  write({.state = "finished", .total = 8, .done = 7, .skipped = 1});

  EXPECT_EQ(trial.rules(), "");
}

}  // namespace
}  // namespace petrel::sim::judge
