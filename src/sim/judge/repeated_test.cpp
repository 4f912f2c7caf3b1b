#include <gtest/gtest.h>

#include "sim/judge/testing/trial.h"

namespace petrel::sim::judge {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class RepeatedTest : public testing::Test {
 protected:
  Trial trial;
  EndpointId endpoint = trial.endpoint();
  DeliveryName name{endpoint, trial.post()};

  void resend() {
    OnDisk again{.application = trial.application(),
                 .endpoint = endpoint,
                 .message = name.message,
                 .state = "pending",
                 .due_at = trial.now().wall,
                 .by = By::Person};
    const std::uint64_t number =
        trial.ask({.act = Act::Resend, .endpoint = endpoint, .message = name.message});
    trial.hear(again);
    trial.tell(number, 202);
  }
};

TEST_F(RepeatedTest, ARequestAfterASuccessThatIsOnDisk) {
  trial.attempt(name, 200);

  trial.request(name);

  EXPECT_EQ(trial.rules(), "repeated");
}

TEST_F(RepeatedTest, ARequestAfterASuccessThatIsNotOnDiskYet) {
  trial.reply(trial.request(name), 200);

  trial.request(name);

  EXPECT_EQ(trial.rules(), "repeated");
}

TEST_F(RepeatedTest, ACrashBeforeItWasOnDiskExplainsIt) {
  trial.reply(trial.request(name), 200);
  trial.die();
  trial.start();

  trial.request(name);

  EXPECT_EQ(trial.rules(), "");
}

TEST_F(RepeatedTest, ACrashAfterItWasOnDiskDoesNot) {
  trial.attempt(name, 200);
  trial.die();
  trial.start();

  trial.request(name);

  EXPECT_EQ(trial.rules(), "repeated");
}

TEST_F(RepeatedTest, AStopIsNoCrash) {
  trial.reply(trial.request(name), 200);
  trial.stop(seconds(10));
  trial.hear(Life{.life = 1, .event = Life::Event::Stopped});
  trial.start();

  trial.request(name);

  EXPECT_EQ(trial.rules(), "bad stop, repeated");
}

TEST_F(RepeatedTest, AResendExplainsIt) {
  trial.attempt(name, 200);
  resend();

  trial.request(name);

  EXPECT_EQ(trial.rules(), "");
}

TEST_F(RepeatedTest, TwiceAtOnce) {
  trial.request(name);

  trial.request(name);

  EXPECT_EQ(trial.rules(), "repeated");
}

TEST_F(RepeatedTest, AgainBeforeTheLastOutcomeIsOnDisk) {
  trial.reply(trial.request(name), 503);

  trial.request(name);

  EXPECT_EQ(trial.rules(), "repeated");
}

TEST_F(RepeatedTest, AFaultOfOursNeedsNoRecord) {
  trial.reply(trial.request(name), {.kind = Reply::OurFault});

  trial.request(name);

  EXPECT_EQ(trial.rules(), "");
}

}  // namespace
}  // namespace petrel::sim::judge
