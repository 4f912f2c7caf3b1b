#include "base/id.h"

#include <unordered_set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace petrel {
namespace {

constexpr std::string_view kBody = "3AiAdju6n0sAHKIMlKEeMwBURHI";

template <typename Id>
std::string printed_again(std::string_view text) {
  const Result<Id> id = Id::parse(text);
  return id.ok() ? id->text() : id.error().text();
}

Ksuid any_ksuid() {
  return Ksuid(*rc::gen::container<Ksuid::Bytes>(rc::gen::arbitrary<std::uint8_t>()));
}

TEST(Id, PrintsWhatItParsedForEveryPrefix) {
  const std::string body(kBody);

  EXPECT_EQ(printed_again<OrganisationId>("org_" + body), "org_" + body);
  EXPECT_EQ(printed_again<ApplicationId>("app_" + body), "app_" + body);
  EXPECT_EQ(printed_again<EndpointId>("ep_" + body), "ep_" + body);
  EXPECT_EQ(printed_again<MessageId>("msg_" + body), "msg_" + body);
  EXPECT_EQ(printed_again<AttemptId>("atmpt_" + body), "atmpt_" + body);
  EXPECT_EQ(printed_again<TaskId>("qtask_" + body), "qtask_" + body);
}

TEST(Id, NamesTheExpectedPrefixWhenItIsAnother) {
  EXPECT_EQ(printed_again<MessageId>("ep_" + std::string(kBody)),
            "\"ep_3AiAdju6n0sAHKIMlKEeMwBURHI\" does not begin with \"msg_\"");
  EXPECT_EQ(printed_again<EndpointId>(kBody),
            "\"3AiAdju6n0sAHKIMlKEeMwBURHI\" does not begin with \"ep_\"");
  EXPECT_EQ(printed_again<TaskId>(""), "\"\" does not begin with \"qtask_\"");
  EXPECT_EQ(printed_again<TaskId>("qtas"), "\"qtas\" does not begin with \"qtask_\"");
}

TEST(Id, RefusesAPrefixInCapitals) {
  EXPECT_EQ(printed_again<MessageId>("MSG_" + std::string(kBody)),
            "\"MSG_3AiAdju6n0sAHKIMlKEeMwBURHI\" does not begin with \"msg_\"");
}

TEST(Id, SaysWhatFollowsThePrefixWhenItIsSomethingElse) {
  const std::string rule = "\" is not an id: \"msg_\" is followed by 27 letters and digits";

  EXPECT_EQ(printed_again<MessageId>("msg_"), "\"msg_" + rule);
  EXPECT_EQ(printed_again<MessageId>("msg_123"), "\"msg_123" + rule);
  EXPECT_EQ(printed_again<MessageId>("msg_3AiAdju6n0sAHKIMlKEeMwBURH-"),
            "\"msg_3AiAdju6n0sAHKIMlKEeMwBURH-" + rule);
  EXPECT_EQ(printed_again<MessageId>("msg_" + std::string(27, 'z')),
            "\"msg_" + std::string(27, 'z') + rule);
}

TEST(Id, LeavesTheFieldForTheCallerToName) {
  const Error error = MessageId::parse("msg_").error();

  EXPECT_EQ(error.kind, ErrorKind::Invalid);
  EXPECT_EQ(error.field, "");
}

TEST(Id, KeepsTheTimeOfItsMaking) {
  const WallTime time = wall_from_unix_seconds(1'773'065'106) + std::chrono::milliseconds(248);

  EXPECT_EQ(MessageId(Ksuid::first_at(time)).time(), time);
}

TEST(Id, IsZeroUntilItIsSet) { EXPECT_EQ(MessageId().text(), "msg_000000000000000000000000000"); }

TEST(Id, SortsByTimeAndFindsItsPlaceInASet) {
  SeededSecureRandom random(1);
  const MessageId early(Ksuid::make(wall_from_unix_seconds(1'700'000'000), random));
  const MessageId late(Ksuid::make(wall_from_unix_seconds(1'800'000'000), random));
  const std::unordered_set<MessageId> ids = {early, late, early};

  EXPECT_LT(early, late);
  EXPECT_EQ(ids.size(), 2U);
  EXPECT_TRUE(ids.contains(late));
  EXPECT_FALSE(ids.contains(MessageId()));
}

TEST(Id, HashesItsLastEightBytes) {
  Ksuid::Bytes bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i);

  EXPECT_EQ(std::hash<EndpointId>{}(EndpointId(Ksuid(bytes))), 0x0c0d0e0f10111213U);
}

RC_GTEST_PROP(Id, GivesEveryIdBack, ()) {
  const AttemptId id(any_ksuid());
  RC_ASSERT(AttemptId::parse(id.text()).value() == id);
}

RC_GTEST_PROP(Id, SortsTextsAsIds, ()) {
  const MessageId a(any_ksuid());
  const MessageId b(any_ksuid());
  RC_ASSERT((a < b) == (a.text() < b.text()));
}

}  // namespace
}  // namespace petrel
