// What a whole node says in the log of what happens in it.

#include "node/log_lines.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "node/testing/node_world.h"

namespace petrel::node {
namespace {

using log::Kind;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr const char* kUrl = "https://example.com/hook?token=sesame";

struct LogLinesTest : testing::Test {
  LogLinesTest() {
    EXPECT_TRUE(world.start().ok());
    application = world.create_application();
    endpoint = world.create_endpoint(application, kUrl);
    forget();
  }

  void forget() {
    world.log.lines.clear();
    world.log.kinds.clear();
  }

  // Of these kinds alone, in their order.
  std::vector<std::string> lines(const std::vector<Kind>& kinds) const {
    std::vector<std::string> found;
    for (std::size_t i = 0; i < world.log.lines.size(); ++i) {
      if (std::find(kinds.begin(), kinds.end(), world.log.kinds[i]) != kinds.end()) {
        found.push_back(world.log.lines[i]);
      }
    }
    return found;
  }

  std::string only(Kind kind) const {
    const auto found = lines({kind});
    EXPECT_EQ(found.size(), 1U) << name_of(kind);
    return found.empty() ? "" : found.front();
  }

  void edit(const std::function<void(model::Endpoint&)>& change) {
    model::Endpoint record = *world.catalogue->endpoint(endpoint);
    change(record);
    world.change(store::UpdateEndpoint{record});
  }

  // Answers what is out, and lets time pass, until the circuit opens.
  void open_circuit() {
    for (int i = 0; i < 100; ++i) world.send(application);
    for (int i = 0; i < 1000 && lines({Kind::CircuitOpened}).empty(); ++i) {
      if (world.wires[0].out.empty()) {
        world.pass(seconds(1));
      } else {
        world.wires[0].answer(503);
        world.run();
      }
    }
    while (!world.wires[0].out.empty()) world.wires[0].answer(503);
    world.run();
  }

  void await_probe() {
    for (int i = 0; i < 1000 && world.wires[0].out.empty(); ++i) world.pass(seconds(1));
    ASSERT_EQ(world.wires[0].out.size(), 1U);
  }

  std::string ids() const {
    return "appId=" + application.text() + " endpointId=" + endpoint.text();
  }

  NodeWorld world;
  ApplicationId application;
  EndpointId endpoint;
};

const std::vector<Kind> kCircuit = {Kind::CircuitOpened, Kind::CircuitRestored,
                                    Kind::CircuitHalfOpen, Kind::CircuitProbeFailed,
                                    Kind::CircuitClosed};

TEST_F(LogLinesTest, ACircuitTellsOnceOfEachStateThatItTakes) {
  open_circuit();
  const std::string opened = only(Kind::CircuitOpened);
  EXPECT_EQ(opened.find("warn  circuit.opened: nothing is sent to https://example.com:443 until a "
                        "probe succeeds: "),
            0U)
      << opened;
  EXPECT_NE(opened.find(ids()), std::string::npos) << opened;
  EXPECT_NE(opened.find(" why=\""), std::string::npos) << opened;
  EXPECT_NE(opened.find(" nextProbeAt="), std::string::npos) << opened;

  await_probe();
  world.wires[0].answer(503);
  world.run();
  await_probe();
  world.wires[0].answer(200);
  world.run();
  const auto all = lines(kCircuit);
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(all[1].find("info  circuit.half_open: a probe is sent to https://example.com:443"), 0U);
  EXPECT_EQ(all[2].find("info  circuit.probe_failed: the probe sent to "), 0U) << all[2];
  EXPECT_EQ(all[3].find("info  circuit.half_open: "), 0U) << all[3];
  EXPECT_EQ(all[4], "info  circuit.closed: https://example.com:443 is sent to again  " + ids());
}

TEST_F(LogLinesTest, ACircuitThatIsOpenSinceBeforeTheStartHasNotJustOpened) {
  open_circuit();
  forget();
  world.die();
  ASSERT_TRUE(world.start().ok());
  const auto all = lines(kCircuit);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].find("info  circuit.restored: nothing is sent to https://example.com:443 until "
                        "a probe succeeds, as before the start: "),
            0U)
      << all[0];
}

TEST_F(LogLinesTest, TellsOfEachAttemptAndOfADeadLetterWhy) {
  const auto message = world.send(application);
  world.wires[0].answer(400);
  world.run();
  const std::string ended = only(Kind::AttemptEnded);
  const std::string of = ids() + " msgId=" + message->text();
  EXPECT_EQ(ended.find("debug attempt.ended: attempt 1 of the delivery: 400  " + of), 0U) << ended;
  EXPECT_NE(ended.find(" outcome=400 ms=0 state=dead"), std::string::npos) << ended;
  EXPECT_EQ(only(Kind::DeliveryDead),
            "warn  delivery.dead: the delivery is a dead letter: permanent  " + of +
                " reason=permanent attempts=1 outcome=400");
}

TEST_F(LogLinesTest, TellsOfAPauseByTheServerOnceAndOfTheResume) {
  world.send(application);
  world.wires[0].answer(410);
  world.run();
  EXPECT_EQ(
      only(Kind::EndpointPaused),
      "warn  endpoint.paused: https://example.com:443 is paused: the receiver answered 410  " +
          ids() + " by=server why=\"the receiver answered 410\"");
  edit([](model::Endpoint& record) { record.pause.reset(); });
  EXPECT_EQ(only(Kind::EndpointResumed),
            "info  endpoint.resumed: https://example.com:443 is resumed  " + ids() + " by=person");
}

TEST_F(LogLinesTest, TellsOfWhatPeopleDoToAnEndpoint) {
  edit([](model::Endpoint& record) { record.description = "other"; });
  EXPECT_EQ(only(Kind::EndpointChanged),
            "info  endpoint.changed: https://example.com:443 is changed  " + ids() + " by=person");
  forget();
  edit([](model::Endpoint& record) { record.is_disabled = true; });
  edit([](model::Endpoint& record) { record.is_disabled = false; });
  world.change(store::DeleteEndpoint{endpoint, world.clock.wall()});
  EXPECT_EQ(world.log.kinds, (std::vector<Kind>{Kind::EndpointDisabled, Kind::EndpointEnabled,
                                                Kind::EndpointDeleted}));
}

TEST_F(LogLinesTest, AFaultOfOursSaysWhy) {
  const auto message = world.send(application);
  model::AttemptResult result;
  result.error = "our DNS resolver does not answer for example.com";
  world.wires[0].end(std::move(result));
  world.run();
  EXPECT_EQ(only(Kind::AttemptFault),
            "warn  attempt.fault: an attempt could not be made, which costs its delivery nothing: "
            "our DNS resolver does not answer for example.com  endpointId=" +
                endpoint.text() + " msgId=" + message->text());
}

TEST_F(LogLinesTest, ABlockedReceiverComesWithTheRemedy) {
  const auto message = world.send(application);
  model::AttemptResult result;
  result.outcome = policy::Outcome::blocked();
  result.error = "messages may not be sent to the address of this endpoint";
  result.for_operator = "127.0.0.1 is loopback; allow it";
  world.wires[0].end(std::move(result));
  world.run();
  EXPECT_EQ(only(Kind::ReceiverBlocked),
            "warn  receiver.blocked: 127.0.0.1 is loopback; allow it"
            "  endpointId=" +
                endpoint.text() + " msgId=" + message->text());
  const auto attempts = world.store.attempts_of_message(*message, {}, {.limit = 1});
  ASSERT_TRUE(attempts.ok());
  EXPECT_EQ(attempts->items.front().error,
            "messages may not be sent to the address of this endpoint")
      << "the endpoint's owner must not read it";
}

TEST_F(LogLinesTest, ATaskTellsOfItsBeginningAndItsEnd) {
  world.send(application);
  world.wires[0].answer(400);
  world.run();
  model::Task task;
  task.id = TaskId(world.maker.make(world.clock.wall()));
  task.application = application;
  task.selection.endpoint = endpoint;
  task.selection.applications = {application};
  task.type = model::TaskType::Discard;
  world.change(store::CreateTask{task});
  for (int i = 0; i < 60 && lines({Kind::TaskFinished}).empty(); ++i) world.pass(seconds(1));
  const std::string of = "taskId=" + task.id.text() + " " + ids();
  EXPECT_EQ(only(Kind::TaskBegun), "info  task.begun: the task discard-dead begins  " + of);
  EXPECT_EQ(only(Kind::TaskFinished), "info  task.finished: the task discard-dead has finished  " +
                                          of + " done=1 skipped=0 succeeded=0 failed=0");
}

TEST_F(LogLinesTest, ATaskThatAPersonStopsSaysSo) {
  model::Task task;
  task.id = TaskId(world.maker.make(world.clock.wall()));
  task.state = model::TaskState::Cancelled;
  log_task_edited(world.log, task);
  task.state = model::TaskState::Paused;
  log_task_edited(world.log, task);
  task.state = model::TaskState::Running;
  log_task_edited(world.log, task);
  task.state = model::TaskState::Failed;
  task.why = "it is damaged";
  log_task_ended(world.log, task);
  EXPECT_EQ(world.log.kinds, (std::vector<Kind>{Kind::TaskCancelled, Kind::TaskPaused,
                                                Kind::TaskResumed, Kind::TaskFailed}));
  EXPECT_EQ(world.log.lines[3].find("warn  task.failed: the task replay-dead has failed: it is "
                                    "damaged  taskId="),
            0U);
}

TEST_F(LogLinesTest, TellsOfADeliveryThatIsDamagedOrReleased) {
  const model::DeliveryKey key{endpoint, MessageId(world.maker.make(world.clock.wall()))};
  log_refused(world.log, key, corrupt("its payload cannot be read"));
  log_released(world.log, {.delivery = key, .application = application, .crashes = 3});
  const std::string of = "endpointId=" + endpoint.text() + " msgId=" + key.message.text();
  EXPECT_EQ(only(Kind::DeliveryDamaged),
            "error delivery.damaged: the delivery of " + key.message.text() + " to " +
                endpoint.text() +
                " is left alone, as what is stored of it is damaged (its payload cannot be read); "
                "petrel inspect --verify says what else is  " +
                of);
  EXPECT_EQ(only(Kind::DeliveryReleased),
            "info  delivery.released: the delivery, held after 3 crashes, is sent again  " + of +
                " appId=" + application.text());
}

TEST_F(LogLinesTest, NoLineShowsMoreOfAUrlThanItsOrigin) {
  open_circuit();
  await_probe();
  world.wires[0].answer(410);
  world.run();
  edit([](model::Endpoint& record) { record.url = "https://example.com/other?token=sesame"; });
  world.change(store::DeleteEndpoint{endpoint, world.clock.wall()});
  EXPECT_GT(world.log.lines.size(), 5U);
  for (const std::string& line : world.log.lines) {
    EXPECT_EQ(line.find("sesame"), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace petrel::node
