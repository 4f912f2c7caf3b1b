#include "dispatch/http_transport.h"
#include "dispatch/testing/scripted_receiver.h"
#include "dispatch/testing/transport_fixture.h"
#include "net/testing/fake_name_server.h"

namespace petrel::dispatch {
namespace {

using net::FakeNameServer;
using policy::FailureKind;
using policy::Outcome;
using std::chrono::milliseconds;

class HttpTransportDnsTest : public TransportFixture {
 protected:
  HttpTransportDnsTest()
      : receiver_([](Peer& peer) {
          while (peer.read_request()) {
            peer.send("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
          }
        }) {
    HttpTransportSettings settings;
    settings.guard = loopback_guard();
    settings.resolver.name_servers = names_.address();
    start(settings);
    point_at("http://name.example:" + std::to_string(receiver_.port()) + "/");
  }

  FakeNameServer names_;
  ScriptedReceiver receiver_;
};

TEST_F(HttpTransportDnsTest, FindsTheReceiverByItsName) {
  names_.set("name.example", {{.addresses = {"127.0.0.1"}}});

  const auto first = attempt();
  const auto second = attempt();

  EXPECT_EQ(first.outcome, Outcome::answered(200)) << first.error;
  EXPECT_GT(first.timings.dns, Duration::zero());
  EXPECT_EQ(second.outcome, Outcome::answered(200));
  EXPECT_EQ(receiver_.connections(), 2);
  EXPECT_EQ(names_.questions("name.example"), 1);
}

TEST_F(HttpTransportDnsTest, SaysThatANameDoesNotExist) {
  const auto result = attempt();
  EXPECT_EQ(result.outcome, Outcome::failed(FailureKind::Dns));
  EXPECT_EQ(result.error, "the name does not exist");
}

TEST_F(HttpTransportDnsTest, WaitsForNameServersNoLongerThanItsDeadlineAndTheirSilenceIsOurs) {
  names_.set("name.example", {{.kind = FakeNameServer::Answer::Kind::Silence}});

  const auto result = attempt(milliseconds(50));

  EXPECT_EQ(result.outcome, Outcome::our_fault());
  EXPECT_EQ(result.error, "our DNS resolver does not answer for name.example");
  EXPECT_EQ(result.resolver_wait, std::chrono::seconds(1));
  EXPECT_EQ(result.fault, model::FaultCause::Resolver);
  EXPECT_GE(result.timings.dns, milliseconds(40));
}

TEST_F(HttpTransportDnsTest, CallsARefusalOrAFailureOfOurNameServersOurFault) {
  using Kind = FakeNameServer::Answer::Kind;
  for (const Kind kind : {Kind::Refusal, Kind::Failure}) {
    const std::string name = kind == Kind::Refusal ? "refused.example" : "failing.example";
    names_.set(name, {{.kind = kind}});
    point_at("http://" + name + "/");

    const auto result = attempt();

    EXPECT_EQ(result.outcome, Outcome::our_fault());
    EXPECT_EQ(result.error, "our DNS resolver does not answer for " + name);
    EXPECT_EQ(result.resolver_wait, std::chrono::seconds(1));
  }
}

TEST_F(HttpTransportDnsTest, AsksAnewForEachAttemptThatCounts) {
  names_.set("name.example",
             {{.kind = FakeNameServer::Answer::Kind::NoSuchName}, {.addresses = {"127.0.0.1"}}});

  EXPECT_EQ(attempt().outcome, Outcome::failed(FailureKind::Dns));
  EXPECT_EQ(attempt().outcome, Outcome::answered(200));
}

TEST_F(HttpTransportDnsTest, BlocksANameThatMovesToARefusedAddress) {
  names_.set("name.example", {{.addresses = {"127.0.0.1"}, .ttl_seconds = 0},
                              {.addresses = {"127.0.0.2"}, .ttl_seconds = 0}});
  ASSERT_EQ(attempt().outcome, Outcome::answered(200));

  // The answer is kept for a second whatever its time to live.
  model::AttemptResult later;
  ASSERT_TRUE(run_until([&] {
    later = attempt();
    return !later.outcome.is_answer();
  }));

  EXPECT_EQ(later.outcome, Outcome::blocked());
  EXPECT_EQ(later.error, "messages may not be sent to the address of this endpoint");
}

TEST_F(HttpTransportDnsTest, DialsOnlyTheAddressesThatTheGuardApproves) {
  names_.set("name.example", {{.addresses = {"10.0.0.1", "169.254.169.254", "127.0.0.1"}}});
  const auto mixed = attempt();
  names_.set("private.example", {{.addresses = {"10.0.0.1", "::1", "192.168.1.1"}}});
  point_at("http://private.example/");
  const auto refused = attempt();

  EXPECT_EQ(mixed.outcome, Outcome::answered(200)) << mixed.error;
  EXPECT_EQ(refused.outcome, Outcome::blocked());
}

TEST_F(HttpTransportDnsTest, TriesTheNextAddressIfOneIsDead) {
  HttpTransportSettings settings;
  settings.guard = *net::AddressGuard::make("127.0.0.0/8", {});
  settings.resolver.name_servers = names_.address();
  start(settings);
  names_.set("name.example", {{.addresses = {"127.0.0.9", "127.0.0.8", "127.0.0.1"}}});

  const auto result = attempt();

  EXPECT_EQ(result.outcome, Outcome::answered(200)) << result.error;
}

TEST_F(HttpTransportDnsTest, FindsLocalhostWithoutNameServers) {
  point_at("http://localhost:" + std::to_string(receiver_.port()) + "/");
  const auto result = attempt();
  EXPECT_EQ(result.outcome, Outcome::answered(200)) << result.error;
  EXPECT_EQ(names_.questions("localhost"), 0);
}

}  // namespace
}  // namespace petrel::dispatch
