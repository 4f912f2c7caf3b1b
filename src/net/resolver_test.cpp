#include "net/resolver.h"

#include <optional>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "base/testing/hand_loop.h"
#include "net/testing/fake_name_server.h"

namespace petrel::net {
namespace {

using AnswerKind = FakeNameServer::Answer::Kind;
using Kind = Resolution::Kind;
using std::chrono::milliseconds;
using std::chrono::seconds;

class ResolverTest : public testing::Test {
 protected:
  ResolverTest() { start({}); }

  void start(ResolverSettings settings) {
    settings.name_servers = servers_.address();
    resolver_ = *Resolver::make(loop_, clock_, settings);
  }

  bool run_until(const std::function<bool()>& is_so) {
    const MonoTime deadline = clock_.mono() + seconds(20);
    while (!is_so()) {
      if (clock_.mono() >= deadline) return false;
      loop_.restart();
      loop_.run_one_for(milliseconds(100));
    }
    return true;
  }

  Resolution resolve(const std::string& name) {
    ResolutionPtr result;
    resolver_->resolve(name, [&](ResolutionPtr came) { result = std::move(came); });
    EXPECT_EQ(result, nullptr) << "answered from within the call";
    EXPECT_TRUE(run_until([&] { return result != nullptr; })) << name;
    return result == nullptr ? Resolution{} : *result;
  }

  static std::vector<std::string> texts(const Resolution& resolution) {
    std::vector<std::string> out;
    for (const IpAddress& address : resolution.addresses) out.push_back(address.text());
    return out;
  }

  SystemClock clock_;
  boost::asio::io_context loop_;
  FakeNameServer servers_;
  std::unique_ptr<Resolver> resolver_;
};

TEST_F(ResolverTest, FindsTheAddressesOfAName) {
  servers_.set("two.example", {{.addresses = {"192.0.2.1", "192.0.2.2"}}});

  const Resolution found = resolve("two.example");

  EXPECT_EQ(found.kind, Kind::Found) << found.why;
  EXPECT_EQ(texts(found), (std::vector<std::string>{"192.0.2.1", "192.0.2.2"}));
}

TEST_F(ResolverTest, FindsIpv6AddressesToo) {
  servers_.set("six.example", {{.addresses = {"2001:db8::1"}}});
  EXPECT_EQ(texts(resolve("six.example")), (std::vector<std::string>{"2001:db8::1"}));
}

TEST_F(ResolverTest, TakesABoundedNumberOfAddresses) {
  std::vector<std::string> many;
  for (int i = 1; i <= 24; ++i) many.push_back("192.0.2." + std::to_string(i));
  servers_.set("many.example", {{.addresses = many}});
  EXPECT_EQ(resolve("many.example").addresses.size(), ResolverSettings().addresses_max);
}

TEST_F(ResolverTest, TellsApartWhatIsNotThereAndWhatNobodySays) {
  servers_.set("empty.example", {{.addresses = {}}});
  servers_.set("failing.example",
               {{.kind = FakeNameServer::Answer::Kind::Failure, .addresses = {}}});

  const Resolution none = resolve("none.example");
  const Resolution empty = resolve("empty.example");
  const Resolution failing = resolve("failing.example");

  EXPECT_EQ(none.kind, Kind::NoSuchName);
  EXPECT_EQ(none.why, "the name does not exist");
  EXPECT_EQ(empty.kind, Kind::NoSuchName);
  EXPECT_EQ(empty.why, "the name has no address");
  EXPECT_EQ(failing.kind, Kind::Failed);
  EXPECT_EQ(failing.why, "the name servers gave no usable answer");
}

TEST_F(ResolverTest, ThatThereIsNoAddressNeedsTheWordOfBothFamilies) {
  servers_.set("v6-fails.example", {{.kind_v6 = AnswerKind::Failure}});
  servers_.set("v6-refused.example",
               {{.kind = AnswerKind::NoSuchName, .kind_v6 = AnswerKind::Refusal}});
  servers_.set("v4-fails.example",
               {{.kind = AnswerKind::Failure, .kind_v6 = AnswerKind::NoSuchName}});
  servers_.set("half.example", {{.addresses = {"192.0.2.1"}, .kind_v6 = AnswerKind::Failure}});

  EXPECT_EQ(resolve("v6-fails.example").kind, Kind::Failed);
  EXPECT_EQ(resolve("v6-refused.example").kind, Kind::Failed);
  EXPECT_EQ(resolve("v4-fails.example").kind, Kind::Failed);
  EXPECT_EQ(resolve("half.example").kind, Kind::Found);
}

TEST_F(ResolverTest, RemembersAddressesButNotThatThereAreNone) {
  servers_.set("name.example", {{.addresses = {"192.0.2.1"}}});
  servers_.set("late.example",
               {{.kind = FakeNameServer::Answer::Kind::NoSuchName}, {.addresses = {"192.0.2.1"}}});
  resolve("name.example");
  resolve("name.example");
  EXPECT_EQ(servers_.questions("name.example"), 1);

  EXPECT_EQ(resolve("late.example").kind, Kind::NoSuchName);
  EXPECT_EQ(resolve("late.example").kind, Kind::Found);
  EXPECT_EQ(servers_.questions("late.example"), 2);
}

TEST_F(ResolverTest, DoesNotAskAgainForANameThatTheNameServersFailedForUntilItsWaitIsOver) {
  servers_.set("failing.example", {{.kind = FakeNameServer::Answer::Kind::Refusal}});
  const Resolution first = resolve("failing.example");
  const int asked = servers_.questions("failing.example");
  const Resolution second = resolve("failing.example");

  EXPECT_EQ(first.kind, Kind::Failed);
  EXPECT_EQ(first.wait, seconds(1));
  EXPECT_EQ(second.kind, Kind::Failed);
  EXPECT_GT(second.wait, Duration::zero());
  EXPECT_LE(second.wait, seconds(1));
  EXPECT_EQ(servers_.questions("failing.example"), asked);

  servers_.set("failing.example", {{.addresses = {"192.0.2.1"}}});
  EXPECT_TRUE(run_until([&] { return resolve("failing.example").kind == Kind::Found; }));
}

TEST_F(ResolverTest, AsksOnceForAllWhoWantTheSameName) {
  servers_.set("name.example", {{.addresses = {"192.0.2.1"}}});
  int answered = 0;
  for (int i = 0; i < 10; ++i) {
    resolver_->resolve("name.example", [&](const ResolutionPtr& found) {
      EXPECT_EQ(found->kind, Kind::Found);
      ++answered;
    });
  }
  EXPECT_TRUE(run_until([&] { return answered == 10; }));
  EXPECT_EQ(servers_.questions("name.example"), 1);
}

TEST_F(ResolverTest, EndsAQuestionThatNobodyAnswersAndDelaysNoOther) {
  ResolverSettings settings;
  settings.question_time_max = milliseconds(100);
  start(settings);
  servers_.set("silent.example",
               {{.kind = FakeNameServer::Answer::Kind::Silence, .addresses = {}}});
  servers_.set("name.example", {{.addresses = {"192.0.2.1"}}});
  std::optional<Kind> silent;
  resolver_->resolve("silent.example", [&](const ResolutionPtr& came) { silent = came->kind; });

  EXPECT_EQ(resolve("name.example").kind, Kind::Found);
  EXPECT_FALSE(silent);
  EXPECT_TRUE(run_until([&] { return silent.has_value(); }));
  EXPECT_EQ(silent, Kind::Failed);
  EXPECT_EQ(resolve("silent.example").kind, Kind::Failed) << "within its wait";
}

TEST_F(ResolverTest, AddressesOfOneFamilyAreEnoughIfTheOtherIsNotAnsweredInTime) {
  ResolverSettings settings;
  settings.question_time_max = milliseconds(100);
  start(settings);
  servers_.set("half.example", {{.addresses = {"192.0.2.1"}, .kind_v6 = AnswerKind::Silence}});
  servers_.set("none.example", {{.kind = AnswerKind::NoSuchName, .kind_v6 = AnswerKind::Silence}});

  const Resolution half = resolve("half.example");

  EXPECT_EQ(half.kind, Kind::Found);
  EXPECT_EQ(texts(half), (std::vector<std::string>{"192.0.2.1"}));
  EXPECT_EQ(resolve("half.example").kind, Kind::Found);
  EXPECT_EQ(servers_.questions("half.example"), 1) << "it is remembered";
  EXPECT_EQ(resolve("none.example").kind, Kind::Failed);
}

// The name servers' time passes by itself, that of the questions only here.
TEST_F(ResolverTest, AddressesThatComeLateAlsoAnswerTheNextQuestionForTheName) {
  HandClock clock{wall_from_unix_seconds(0), MonoTime(seconds(1'000))};
  ResolverSettings settings;
  settings.name_servers = servers_.address();
  resolver_ = *Resolver::make(loop_, clock, settings);
  const FakeNameServer::Answer silence = {.kind = AnswerKind::Silence};
  servers_.set(
      "late.example",
      {silence, silence, {.addresses = {"192.0.2.1"}, .kind_v6 = AnswerKind::Silence}, silence});
  const auto ask = [&](ResolutionPtr& into) {
    const int before = servers_.questions("late.example");
    resolver_->resolve("late.example", [&](ResolutionPtr came) { into = std::move(came); });
    return run_until([&] { return servers_.questions("late.example") > before; });
  };
  ResolutionPtr first;
  ASSERT_TRUE(ask(first));
  clock.time += settings.question_time_max;
  ASSERT_TRUE(run_until([&] { return first != nullptr; }));
  EXPECT_EQ(first->kind, Kind::Failed);
  clock.time += first->wait;

  ResolutionPtr second;
  ASSERT_TRUE(ask(second));
  ASSERT_TRUE(run_until([&] { return second != nullptr; }));

  EXPECT_EQ(second->kind, Kind::Found) << second->why;
  resolver_.reset();  // Before its clock.
}

TEST_F(ResolverTest, RefusesMoreQuestionsThanItsLimit) {
  ResolverSettings settings;
  settings.questions_max = 1;
  start(settings);
  servers_.set("silent.example",
               {{.kind = FakeNameServer::Answer::Kind::Silence, .addresses = {}}});
  resolver_->resolve("silent.example", [](const ResolutionPtr&) {});

  EXPECT_EQ(resolve("name.example").kind, Kind::Shortage);
}

TEST_F(ResolverTest, KnowsLocalhostWithoutAsking) {
  const Resolution found = resolve("localhost");
  EXPECT_EQ(found.kind, Kind::Found);
  ASSERT_FALSE(found.addresses.empty());
  for (const IpAddress& address : found.addresses) EXPECT_TRUE(address.is_loopback());
  EXPECT_EQ(servers_.questions("localhost"), 0);
}

TEST_F(ResolverTest, MayBeDestroyedWithQuestionsOut) {
  servers_.set("silent.example",
               {{.kind = FakeNameServer::Answer::Kind::Silence, .addresses = {}}});
  resolver_->resolve("silent.example", [](const ResolutionPtr&) { ADD_FAILURE(); });
  resolver_->resolve("localhost", [](const ResolutionPtr&) { ADD_FAILURE(); });
  resolver_.reset();
  loop_.restart();
  loop_.poll();
}

TEST(Resolver, SaysThatNameServersMakeNoSense) {
  boost::asio::io_context loop;
  const SystemClock clock;
  ResolverSettings settings;
  settings.name_servers = "not an address";
  const auto made = Resolver::make(loop, clock, settings);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().field, "nameServers");
}

}  // namespace
}  // namespace petrel::net
