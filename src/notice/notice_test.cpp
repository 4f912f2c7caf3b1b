#include "notice/notice.h"

#include <functional>
#include <memory>

#include <gtest/gtest.h>

#include "base/ksuid.h"
#include "base/secure_random.h"
#include "signature/secret.h"

namespace petrel::notice {
namespace {

using model::DeliveryState;
using policy::DeadReason;
using Types = std::vector<NoticeType>;

constexpr WallTime kNow = wall_from_unix_seconds(1'800'000'000);
constexpr const char* kNowText = "2027-01-15T08:00:00.000000Z";

struct NoticeTest : testing::Test {
  NoticeTest() {
    application.id = ApplicationId(maker.make(kNow));
    application.uid = "acme";
    endpoint.id = EndpointId(maker.make(kNow));
    endpoint.application = application.id;
    endpoint.url = "https://example.com/";
  }

  // The endpoint before and after an edit.
  EndpointChange change(const std::function<void(model::Endpoint&)>& edit,
                        Author by = Author::Person) {
    model::Endpoint edited = endpoint;
    edit(edited);
    return {std::make_shared<const model::Endpoint>(endpoint),
            std::make_shared<const model::Endpoint>(edited), by};
  }

  model::Settlement settlement(DeliveryState state, int attempts,
                               std::optional<DeadReason> reason = {}) {
    model::Settlement made;
    made.delivery.key = {endpoint.id, message};
    made.delivery.application = application.id;
    made.delivery.state = state;
    made.delivery.progress.attempts = attempts;
    made.delivery.reason = reason;
    made.attempt = model::Attempt();
    made.attempt->id = attempt;
    made.attempt->outcome = policy::Outcome::answered(503);
    made.attempt->started_at = kNow;
    return made;
  }

  std::optional<NoticeType> type(DeliveryState state, int attempts,
                                 std::optional<DeadReason> reason = {}) {
    const auto news = news_of(settlement(state, attempts, reason));
    if (!news) return std::nullopt;
    return news->type;
  }

  // What every notice begins with.
  std::string about(const std::string& type) const {
    return R"({"type":")" + type + R"(","data":{"appId":")" + application.id.text() +
           R"(","appUid":"acme","endpointId":")" + endpoint.id.text() + R"(","endpointUid":null)";
  }

  SeededSecureRandom random{1};
  KsuidMaker maker{random};
  model::Application application;
  model::Endpoint endpoint{signature::KeyRing{signature::Secret::generate(random)}};
  const MessageId message{maker.make(kNow)};
  const AttemptId attempt{maker.make(kNow)};
};

TEST_F(NoticeTest, TypesAreFoundByTheirNames) {
  for (const auto& [type, name] : kNoticeTypes) EXPECT_EQ(find_notice_type(name), type) << name;
  EXPECT_EQ(name_of(NoticeType::AttemptRecovered), "message.attempt.recovered");
  EXPECT_EQ(find_notice_type("endpoint.exploded"), std::nullopt);
}

TEST_F(NoticeTest, AnEndpointIsCreatedChangedAndDeleted) {
  EndpointChange made = change([](model::Endpoint&) {});
  made.before = nullptr;
  EXPECT_EQ(types_of(made), Types{NoticeType::EndpointCreated});
  EXPECT_EQ(types_of(change([](model::Endpoint& each) { each.url = "https://other.example/"; })),
            Types{NoticeType::EndpointUpdated});
  EXPECT_EQ(types_of(change([](model::Endpoint& each) { each.deleted_at = kNow; })),
            Types{NoticeType::EndpointDeleted});
}

TEST_F(NoticeTest, ARotatedSecretIsAnUpdate) {
  const EndpointChange rotated = change([this](model::Endpoint& each) {
    const signature::Secret next = signature::Secret::generate(random);
    EXPECT_TRUE(each.keys.rotate(next, kNow, std::chrono::hours(1)).ok());
  });

  EXPECT_EQ(types_of(rotated), Types{NoticeType::EndpointUpdated});
}

TEST_F(NoticeTest, AnEditThatChangesNothingIsNotTold) {
  EXPECT_EQ(types_of(change([](model::Endpoint& each) { each.updated_at = kNow; })), Types{});
}

TEST_F(NoticeTest, TheSwitchIsAnUpdateAndMore) {
  const auto off = [](model::Endpoint& each) { each.is_disabled = true; };
  const Types both = {NoticeType::EndpointUpdated, NoticeType::EndpointDisabled};
  EXPECT_EQ(types_of(change(off)), both);

  endpoint.is_disabled = true;
  const Types back = {NoticeType::EndpointUpdated, NoticeType::EndpointEnabled};
  EXPECT_EQ(types_of(change([](model::Endpoint& each) { each.is_disabled = false; })), back);
}

TEST_F(NoticeTest, APauseDisablesAndItsEndEnables) {
  const auto pause = [](model::Endpoint& each) { each.pause = model::Pause{kNow, "why"}; };
  EXPECT_EQ(types_of(change(pause)), Types{NoticeType::EndpointDisabled});

  endpoint.pause = model::Pause{kNow, "why"};
  EXPECT_EQ(types_of(change([](model::Endpoint& each) { each.pause.reset(); })),
            Types{NoticeType::EndpointEnabled});
}

TEST_F(NoticeTest, APauseOfADisabledEndpointIsNotTold) {
  endpoint.is_disabled = true;

  EXPECT_EQ(types_of(change([](model::Endpoint& each) {
              each.pause = model::Pause{kNow, "why"};
            })),
            Types{});
}

TEST_F(NoticeTest, ADisablingSaysWhoWhenAndWhy) {
  const auto text = [this](const EndpointChange& change) {
    return notice_of(NoticeType::EndpointDisabled, change, application);
  };
  const auto pause = [](model::Endpoint& each) { each.pause = model::Pause{kNow, "a 410"}; };
  const auto off = [](model::Endpoint& each) { each.is_disabled = true; };

  EXPECT_EQ(text(change(pause, Author::Server)), about("endpoint.disabled") +
                                                     R"(,"trigger":"automatic","failSince":")" +
                                                     kNowText + R"(","why":"a 410"}})");
  EXPECT_EQ(text(change(pause)),
            about("endpoint.disabled") + R"(,"trigger":"manual","failSince":null,"why":"a 410"}})");
  EXPECT_EQ(text(change(off)),
            about("endpoint.disabled") + R"(,"trigger":"manual","failSince":null,"why":null}})");
}

TEST_F(NoticeTest, TheFourthFailureIsTold) {
  EXPECT_EQ(type(DeliveryState::Retrying, 3), std::nullopt);
  EXPECT_EQ(type(DeliveryState::Retrying, 4), NoticeType::AttemptFailing);
  EXPECT_EQ(type(DeliveryState::Retrying, 5), std::nullopt);
}

TEST_F(NoticeTest, ASuccessAfterThatIsARecovery) {
  EXPECT_EQ(type(DeliveryState::Delivered, 1), std::nullopt);
  EXPECT_EQ(type(DeliveryState::Delivered, 4), std::nullopt);
  EXPECT_EQ(type(DeliveryState::Delivered, 5), NoticeType::AttemptRecovered);
  EXPECT_EQ(type(DeliveryState::Delivered, 6), NoticeType::AttemptRecovered);
}

TEST_F(NoticeTest, EveryDeathIsToldThatNobodyWanted) {
  for (const DeadReason reason : {DeadReason::Permanent, DeadReason::Exhausted, DeadReason::Expired,
                                  DeadReason::Gone, DeadReason::Blocked}) {
    EXPECT_EQ(type(DeliveryState::Dead, 1, reason), NoticeType::AttemptExhausted);
  }
  EXPECT_EQ(type(DeliveryState::Dead, 1, DeadReason::Cancelled), std::nullopt);
  EXPECT_EQ(type(DeliveryState::Discarded, 1), std::nullopt);
}

TEST_F(NoticeTest, WhatAReceiverAbortedIsTold) {
  model::Settlement aborted = settlement(DeliveryState::Dead, 1, DeadReason::Cancelled);
  aborted.delivery.is_aborted = true;

  EXPECT_EQ(news_of(aborted)->type, NoticeType::AttemptExhausted);
}

TEST_F(NoticeTest, ADeathSaysWhichMessageWhyAndWhatCameLast) {
  AttemptNews news = *news_of(settlement(DeliveryState::Dead, 5, DeadReason::Exhausted));
  news.event_id = "order-17";

  EXPECT_EQ(notice_of(news, application, endpoint),
            about("message.attempt.exhausted") + R"(,"msgId":")" + message.text() +
                R"(","msgEventId":"order-17","lastAttempt":{"id":")" + attempt.text() +
                R"(","responseStatusCode":503,"timestamp":")" + kNowText +
                R"("},"reason":"exhausted"}})");
}

TEST_F(NoticeTest, AnAttemptWithoutAnAnswerHasTheStatusZero) {
  model::Settlement failed = settlement(DeliveryState::Retrying, 4);
  failed.attempt->outcome = policy::Outcome::failed(policy::FailureKind::Timeout);

  EXPECT_EQ(news_of(failed)->last_attempt, (LastAttempt{attempt, 0, kNow}));
}

TEST_F(NoticeTest, ADeathWhileWaitingHasNoAttemptOfItsOwn) {
  model::Settlement ended = settlement(DeliveryState::Dead, 5, DeadReason::Expired);
  ended.attempt.reset();

  EXPECT_EQ(news_of(ended)->last_attempt, std::nullopt);
}

}  // namespace
}  // namespace petrel::notice
