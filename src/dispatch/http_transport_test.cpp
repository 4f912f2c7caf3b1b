#include "dispatch/http_transport.h"

#include <optional>
#include <sys/resource.h>

#include "dispatch/testing/scripted_receiver.h"
#include "dispatch/testing/transport_fixture.h"
#include "net/testing/fake_name_server.h"

namespace petrel::dispatch {
namespace {

using policy::FailureKind;
using policy::Outcome;
using std::chrono::milliseconds;

class HttpTransportTest : public TransportFixture {
 protected:
  // One exchange with a receiver that reads a request and says `answer`, then closes.
  model::AttemptResult attempt_answered_with(const std::string& answer) {
    ScriptedReceiver receiver([&](Peer& peer) {
      peer.read_request();
      peer.send(answer);
    });
    start();
    point_at(receiver.port());
    return attempt();
  }
};

void answer_all(Peer& peer) {
  while (peer.read_request()) peer.send("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
}

TEST_F(HttpTransportTest, SaysWhatTheReceiverAnswered) {
  const auto result = attempt_answered_with(
      "HTTP/1.1 503 Busy\r\nRetry-After: 120\r\nDate: Tue, 14 Nov 2023 22:13:20 GMT\r\n"
      "Webhook-Delivery: disable\r\nContent-Length: 5\r\n\r\nlater");

  EXPECT_EQ(result.outcome, Outcome::answered(503));
  EXPECT_EQ(result.response, "later");
  EXPECT_EQ(result.retry_after, "120");
  EXPECT_EQ(result.webhook_delivery, "disable");
  EXPECT_EQ(result.date, "Tue, 14 Nov 2023 22:13:20 GMT");
  EXPECT_EQ(result.error, "");
  EXPECT_GT(result.timings.total, Duration::zero());
  EXPECT_GE(result.timings.total, result.timings.connect + result.timings.first_byte);
}

TEST_F(HttpTransportTest, SendsTheSignedRequestAndTheExactBytes) {
  std::string request;
  ScriptedReceiver receiver([&](Peer& peer) {
    request = peer.read_request().value_or("");
    peer.send(kOk);
  });
  HttpTransportSettings settings;
  settings.guard = loopback_guard();
  settings.user_agent = "Petrel/1.2.3";
  start(settings);
  point_at(receiver.port());

  attempt();

  EXPECT_TRUE(request.starts_with("POST /hook HTTP/1.1\r\nhost: 127.0.0.1:")) << request;
  EXPECT_NE(request.find("\r\nuser-agent: Petrel/1.2.3\r\n"), std::string::npos) << request;
  EXPECT_NE(request.find("\r\nwebhook-timestamp: 1700000000\r\n"), std::string::npos) << request;
  EXPECT_TRUE(request.ends_with("\r\n\r\n{\"a\":1}")) << request;
}

TEST_F(HttpTransportTest, KeepsTheConnectionForTheNextAttempt) {
  ScriptedReceiver receiver(answer_all);
  start();
  point_at(receiver.port());

  const auto first = attempt();
  const auto second = attempt();
  point_at("http://127.0.0.1:" + std::to_string(receiver.port()) + "/other");
  const auto third = attempt();

  EXPECT_EQ(third.outcome, Outcome::answered(200));
  EXPECT_EQ(receiver.connections(), 1);
  EXPECT_GT(first.timings.connect, Duration::zero());
  EXPECT_EQ(second.timings.connect, Duration::zero());
  EXPECT_EQ(transport_->idle_connections(), 1U);
}

TEST_F(HttpTransportTest, KeepsNoConnectionThatTheReceiverWantsClosed) {
  ScriptedReceiver receiver([](Peer& peer) {
    peer.read_request();
    peer.send(peer.number() == 1
                  ? "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
                  : "HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n");
    peer.waits_for_end();
  });
  start();
  point_at(receiver.port());

  attempt();
  EXPECT_EQ(transport_->idle_connections(), 0U);
  attempt();

  EXPECT_EQ(transport_->idle_connections(), 0U);
  EXPECT_EQ(receiver.connections(), 2);
}

TEST_F(HttpTransportTest, TakesABodyThatEndsWithTheConnection) {
  const auto result = attempt_answered_with("HTTP/1.1 200 OK\r\n\r\nuntil the end");
  EXPECT_EQ(result.outcome, Outcome::answered(200));
  EXPECT_EQ(result.response, "until the end");
}

TEST_F(HttpTransportTest, CallsABrokenConnectionAReset) {
  ScriptedReceiver receiver([](Peer& peer) {
    peer.read_request();
    if (peer.number() == 1) return peer.reset();
    if (peer.number() == 2) return;
    peer.send("HTTP/1.1 500 No\r\ncontent-length: 10\r\n\r\nhalf");
  });
  start();
  point_at(receiver.port());

  const auto reset = attempt();
  const auto closed = attempt();
  const auto cut = attempt();

  EXPECT_EQ(reset.outcome, Outcome::failed(FailureKind::Reset));
  EXPECT_EQ(reset.error, "the receiver reset the connection");
  EXPECT_EQ(closed.outcome, Outcome::failed(FailureKind::Reset));
  EXPECT_EQ(closed.error, "the receiver closed the connection without a response");
  EXPECT_EQ(cut.outcome, Outcome::failed(FailureKind::Reset));
  EXPECT_EQ(receiver.connections(), 3);
}

TEST_F(HttpTransportTest, EndsAnAttemptAtItsOneDeadline) {
  ScriptedReceiver receiver([](Peer& peer) {
    peer.read_request();
    if (peer.number() == 2) {
      peer.send("HTTP/1.1 500 No\r\ncontent-length: 100\r\n\r\n");
      // Never still for long: a timeout per read would not end it.
      while (peer.send("x") && !peer.hears_within(milliseconds(5))) {
      }
    }
    peer.waits_for_end();
  });
  start();
  point_at(receiver.port());

  const auto silent = attempt(milliseconds(50));
  const auto dripping = attempt(milliseconds(50));

  EXPECT_EQ(silent.outcome, Outcome::failed(FailureKind::Timeout));
  EXPECT_EQ(silent.error, "no response within 50ms");
  EXPECT_GE(silent.timings.total, milliseconds(50));
  EXPECT_EQ(dripping.outcome, Outcome::failed(FailureKind::Timeout));
  EXPECT_EQ(dripping.error, "the response did not end within 50ms");
  EXPECT_EQ(transport_->attempts_out(), 0U);
}

TEST_F(HttpTransportTest, CutsAnEndlessBodyAndKeepsItsBeginning) {
  ScriptedReceiver receiver([](Peer& peer) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
    const std::string chunk = "400\r\n" + std::string(1024, 'x') + "\r\n";
    while (peer.send(chunk)) {
    }
  });
  start();
  point_at(receiver.port());

  const auto result = attempt();

  EXPECT_EQ(result.outcome, Outcome::answered(200));
  EXPECT_EQ(result.response, std::string(model::kResponseKeptBytes, 'x'));
  EXPECT_EQ(transport_->idle_connections(), 0U);
}

TEST_F(HttpTransportTest, RefusesWhatIsNotAnHttpAnswer) {
  const std::string flood = "HTTP/1.1 200 OK\r\nx: " + std::string(40'000, 'x');
  std::string interims;
  for (int i = 0; i < 11; ++i) interims += "HTTP/1.1 103 Early Hints\r\n\r\n";
  std::string many = "HTTP/1.1 200 OK\r\n";
  for (int i = 0; i < 4'000; ++i) many += "x: 12345678\r\n";

  for (const std::string& answer :
       {std::string("SSH-2.0-OpenSSH_9.2\r\n\r\n"), std::string(100, '\0'), flood, interims, many,
        std::string("HTTP/1.1 099 Odd\r\n\r\n"), std::string("HTTP/2.0 200 OK\r\n\r\n"),
        std::string("HTTP/1.1 101 Switching Protocols\r\n\r\n")}) {
    const auto result = attempt_answered_with(answer);
    EXPECT_EQ(result.outcome, Outcome::failed(FailureKind::Protocol)) << answer.substr(0, 40);
    EXPECT_NE(result.error, "");
  }
}

TEST_F(HttpTransportTest, PassesOverInterimAnswers) {
  const auto result = attempt_answered_with(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n"
      "HTTP/1.1 204 No Content\r\n\r\n");
  EXPECT_EQ(result.outcome, Outcome::answered(204));
}

TEST_F(HttpTransportTest, FollowsNoRedirect) {
  ScriptedReceiver receiver([](Peer& peer) {
    peer.read_request();
    peer.send("HTTP/1.1 302 Found\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n");
    EXPECT_FALSE(peer.read_request());
  });
  start();
  point_at(receiver.port());

  EXPECT_EQ(attempt().outcome, Outcome::answered(302));
  EXPECT_EQ(receiver.connections(), 1);
  transport_.reset();
}

TEST_F(HttpTransportTest, SaysThatNobodyListens) {
  start();
  point_at(free_port());

  const auto result = attempt();

  EXPECT_EQ(result.outcome, Outcome::failed(FailureKind::Connect));
  EXPECT_EQ(result.error, "connection refused");
}

TEST_F(HttpTransportTest, SendsALargeBodyAndTakesAnAnswerThatComesBeforeItsEnd) {
  payload_ = std::make_shared<const std::string>(8 * 1024 * 1024, 'x');
  std::size_t received = 0;
  ScriptedReceiver receiver([&](Peer& peer) {
    if (peer.number() == 1) {
      received = peer.read_request().value_or("").size();
      peer.send(kOk);
    } else {
      peer.read_bytes(100);
      peer.send("HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n");
    }
    peer.waits_for_end();
  });
  start();
  point_at(receiver.port());

  const auto taken = attempt();
  EXPECT_EQ(taken.outcome, Outcome::answered(200)) << taken.error;
  EXPECT_GT(received, payload_->size());
  endpoint_->id = EndpointId();
  start();
  const auto refused = attempt();

  EXPECT_EQ(refused.outcome, Outcome::answered(413)) << refused.error;
  EXPECT_EQ(transport_->idle_connections(), 0U);
}

TEST_F(HttpTransportTest, SendsNothingToAnAddressThatTheGuardRefuses) {
  ScriptedReceiver receiver(answer_all);
  start({});
  point_at(receiver.port());
  const auto loopback = attempt();
  point_at("http://localhost:" + std::to_string(receiver.port()) + "/");
  const auto name = attempt();
  point_at("http://127.1:" + std::to_string(receiver.port()) + "/");
  const auto spelling = attempt();

  EXPECT_EQ(loopback.outcome, Outcome::blocked());
  EXPECT_EQ(loopback.error, "messages may not be sent to the address of this endpoint");
  EXPECT_EQ(name.outcome, Outcome::blocked()) << name.error;
  EXPECT_EQ(name.error, loopback.error);
  EXPECT_EQ(loopback.for_operator,
            "127.0.0.1 is loopback, and nothing is sent there; allow it with --allow-subnets "
            "127.0.0.0/8");
  EXPECT_NE(name.for_operator.find(" with --allow-subnets "), std::string::npos);
  EXPECT_EQ(spelling.outcome, Outcome::blocked());
  EXPECT_EQ(receiver.connections(), 0);
}

TEST_F(HttpTransportTest, NeverSendsToOurOwnListener) {
  ScriptedReceiver receiver(answer_all);
  HttpTransportSettings settings;
  const SocketAddress own{*IpAddress::parse("0.0.0.0"), receiver.port()};
  settings.guard = *net::AddressGuard::make("127.0.0.0/8", {own});
  start(settings);
  point_at(receiver.port());

  EXPECT_EQ(attempt().outcome, Outcome::blocked());
  EXPECT_EQ(receiver.connections(), 0);
}

TEST_F(HttpTransportTest, CallsWantOfDescriptorsOurFault) {
  ScriptedReceiver receiver(answer_all);
  start();
  point_at(receiver.port());
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 0;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);

  const auto address = attempt();
  point_at("http://name.example/");
  const auto name = attempt();
  setrlimit(RLIMIT_NOFILE, &before);

  EXPECT_EQ(address.outcome, Outcome::our_fault()) << address.error;
  EXPECT_EQ(address.error, "out of file descriptors");
  EXPECT_EQ(name.outcome, Outcome::our_fault()) << name.error;
  EXPECT_EQ(address.fault, model::FaultCause::Descriptors);
  EXPECT_EQ(name.fault, model::FaultCause::Descriptors);
}

TEST_F(HttpTransportTest, EndsAllAttemptsAsOurFault) {
  ScriptedReceiver receiver([](Peer& peer) { peer.waits_for_end(); });
  net::FakeNameServer names;
  names.set("silent.example",
            {{.kind = net::FakeNameServer::Answer::Kind::Silence, .addresses = {}}});
  HttpTransportSettings settings;
  settings.guard = loopback_guard();
  settings.resolver.name_servers = names.address();
  start(settings);
  int ended = 0;
  const auto count = [&](const model::AttemptResult& result) {
    EXPECT_EQ(result.outcome, Outcome::our_fault());
    EXPECT_EQ(result.fault, model::FaultCause::Stopped);
    ++ended;
  };
  point_at(receiver.port());
  for (int i = 0; i < 5; ++i) transport_->send(order(), count);
  point_at("http://silent.example/");
  transport_->send(order(), count);
  ASSERT_TRUE(run_until([&] { return receiver.connections() == 5; }));

  transport_->cancel_all();

  EXPECT_EQ(ended, 0);
  EXPECT_EQ(transport_->attempts_out(), 0U);
  EXPECT_TRUE(run_until([&] { return ended == 6; }));
}

TEST_F(HttpTransportTest, MayBeDestroyedWithAttemptsOut) {
  ScriptedReceiver receiver([](Peer& peer) { peer.waits_for_end(); });
  start();
  point_at(receiver.port());
  transport_->send(order(), [](const model::AttemptResult&) { ADD_FAILURE(); });
  ASSERT_TRUE(run_until([&] { return receiver.connections() == 1; }));
  transport_.reset();
  loop_.restart();
  loop_.poll();
}

TEST_F(HttpTransportTest, SignsAnewWhenTheEndpointChanges) {
  std::vector<std::string> requests;
  ScriptedReceiver receiver([&](Peer& peer) {
    while (auto request = peer.read_request()) {
      requests.push_back(*request);
      peer.send(kOk);
    }
  });
  start();
  point_at(receiver.port());
  attempt();
  attempt();
  endpoint_ = std::make_shared<model::Endpoint>(*endpoint_);
  SeededSecureRandom random(99);
  endpoint_->keys = {.current = signature::Secret::generate(random)};
  attempt();
  transport_.reset();

  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[0], requests[1]);
  EXPECT_NE(requests[1], requests[2]);
}

}  // namespace
}  // namespace petrel::dispatch
