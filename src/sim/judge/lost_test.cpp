#include <string>

#include <gtest/gtest.h>

#include "sim/judge/testing/trial.h"

namespace petrel::sim::judge {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(Lost, AMessageThatWasToldAndWrittenIsNot) {
  Trial trial;
  const EndpointId endpoint = trial.endpoint();

  trial.attempt({endpoint, trial.post()}, 200);
  trial.dump();

  EXPECT_EQ(trial.rules(), "");
}

TEST(Lost, ADeliveryThatIsNotOnDiskWhenTheProducerIsTold) {
  Trial trial;
  trial.endpoint();
  trial.wait(seconds(1));
  const std::uint64_t post = trial.ask({.act = Act::Post, .json = R"({"eventType": "a"})"});

  trial.hear(Told{.number = post, .status = 202, .message = trial.next_message()});

  EXPECT_EQ(trial.rules(), "lost");
}

TEST(Unwanted, ADeliveryForAnEndpointOfAnotherApplication) {
  Trial trial;
  const ApplicationId other(Ksuid(Ksuid::Bytes{9}));
  const EndpointId theirs(Ksuid(Ksuid::Bytes{9}));
  trial.hear(Asked{.number = 1000, .act = Act::CreateApplication, .application = other});
  trial.tell(1000, 201);
  trial.hear(Asked{.number = 1001,
                   .act = Act::CreateEndpoint,
                   .application = other,
                   .endpoint = theirs,
                   .json = R"({"url": "https://other.example/"})"});
  trial.tell(1001, 201);
  for (const bool is_written : {false, true}) {
    const std::uint64_t post = trial.ask({.act = Act::Post, .json = R"({"eventType": "a"})"});
    const MessageId message = trial.next_message();
    if (is_written) trial.write(message, theirs, trial.now().wall);

    trial.hear(Told{.number = post, .status = 202, .message = message});

    EXPECT_EQ(trial.rules(), is_written ? "unwanted" : "");
  }
}

TEST(Lost, AnEndpointThatWasMadeMeanwhileMayHaveItOrNot) {
  Trial trial;
  const std::uint64_t post = trial.ask({.act = Act::Post, .json = R"({"eventType": "a"})"});
  trial.endpoint();

  trial.hear(Told{.number = post, .status = 202, .message = trial.next_message()});

  EXPECT_EQ(trial.rules(), "");
}

TEST(Lost, ARepeatedKeyIsReadFromItsFirstPostOn) {
  for (const char* const first_key : {"same", "other"}) {
    Trial trial;
    trial.ask({.act = Act::Post, .key = first_key, .json = R"({"eventType": "a"})"});
    trial.wait(seconds(1));
    trial.endpoint();
    trial.wait(seconds(1));
    const std::uint64_t again =
        trial.ask({.act = Act::Post, .key = "same", .json = R"({"eventType": "a"})"});

    trial.hear(Told{.number = again, .status = 202, .message = trial.next_message()});

    EXPECT_EQ(trial.rules(), first_key == std::string("same") ? "" : "lost");
  }
}

TEST(Lost, AnEndpointThatFiltersTheTypeWantsNone) {
  Trial trial;
  trial.endpoint(R"({"url": "https://a.example/", "eventTypes": ["b"]})");
  const std::uint64_t post = trial.ask({.act = Act::Post, .json = R"({"eventType": "a"})"});
  trial.hear(Told{.number = post, .status = 202, .message = trial.next_message()});
  EXPECT_EQ(trial.rules(), "");

  trial.post();

  EXPECT_EQ(trial.rules(), "unwanted");
}

TEST(Lost, ADisabledEndpointGetsNone) {
  Trial trial;
  trial.endpoint(R"({"url": "https://a.example/", "disabled": true})");

  trial.post();

  EXPECT_EQ(trial.rules(), "unwanted");
}

TEST(Lost, WhatIsDueAtRestIsLost) {
  Trial trial;
  trial.endpoint();
  trial.post();

  trial.dump();

  EXPECT_EQ(trial.rules(), "lost");
}

TEST(Lost, WhatIsHeldAtRestIsNot) {
  Trial trial;
  const EndpointId endpoint = trial.endpoint();
  trial.post();
  trial.order(Act::Pause, endpoint);

  trial.dump();

  EXPECT_EQ(trial.rules(), "");
}

}  // namespace
}  // namespace petrel::sim::judge
