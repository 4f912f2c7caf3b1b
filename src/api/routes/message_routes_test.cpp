#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "api/http/paging.h"
#include "api/testing/api_world.h"

namespace petrel::api {
namespace {

struct MessageRoutes : testing::Test {
  Reply post(const std::string& body, const std::string& query = "", const std::string& key = "") {
    net::HttpHeaders headers;
    if (!key.empty()) headers.emplace_back("Idempotency-Key", key);
    return world.ask("POST", root + query, {.body = body, .headers = headers});
  }

  // The ids on a page, by their place in `known`, and whether there is more.
  std::string page(const std::string& query, const std::vector<std::string>& known) {
    const Reply reply = world.ask("GET", root + query);
    EXPECT_EQ(reply.status, 200) << reply.body;
    std::string text;
    const Result<JsonValue> json = parse_json(reply.body);
    for (const JsonValue& item : *json->as_object()->front().second.as_array()) {
      const std::string& id = *item.as_object()->front().second.as_string();
      const auto at = std::find(known.begin(), known.end(), id) - known.begin();
      text += std::to_string(at);
    }
    return text + (reply.body.ends_with("\"done\":true}") ? " done" : " more");
  }

  ApiWorld world;
  const std::string application = world.make_application("acme");
  const std::string root = "/api/v1/app/acme/msg";
};

TEST_F(MessageRoutes, AMessageIsAcceptedWithItsExactPayload) {
  const std::string endpoint = world.make_endpoint("acme");
  const std::string payload =
      "{ \"n\" : 1.50e2,\n\t\"s\":\"\\u00e9\\/\", \"big\":123456789012345678901234567890 }";
  world.order.clear();

  const Reply made = post(R"({"eventType":"invoice.paid","eventId":"e-1","channels":["eu"],)"
                          R"("unknown":[1,{"a":null}],"payload":)" +
                          payload + "}");

  ASSERT_EQ(made.status, 202) << made.body;
  const std::string id = made.body.substr(7, 31);
  EXPECT_EQ(made.body, R"({"id":")" + id +
                           R"(","eventId":"e-1","eventType":"invoice.paid","payload":)" + payload +
                           R"(,"channels":["eu"],"timestamp":"2027-01-15T08:00:00.000000Z"})");
  EXPECT_TRUE(world.order.empty()) << "creating a message must not wait for the disk";
  EXPECT_EQ(world.handed_on, std::vector{*MessageId::parse(id)});
  EXPECT_EQ(**world.store.payload(*MessageId::parse(id)), payload);
  EXPECT_TRUE(world.store.delivery({*EndpointId::parse(endpoint), *MessageId::parse(id)}).ok());

  EXPECT_EQ(world.ask("GET", root + "/" + id).body, made.body);
  EXPECT_EQ(world.ask("GET", root + "/e-1").body, made.body);
}

TEST_F(MessageRoutes, DataIsAnotherNameForPayload) {
  EXPECT_EQ(post(R"({"data":{"a":1},"eventType":"a"})").status, 202);
}

TEST_F(MessageRoutes, TheContentIsLeftOutWhenItIsNotWanted) {
  const Reply made = post(R"({"eventType":"a","payload":{"secret":1}})", "?with_content=false");
  EXPECT_EQ(made.status, 202);
  EXPECT_NE(made.body.find(R"("payload":{},"channels":null)"), std::string::npos);
  const std::string one = root + "/" + made.field("id");
  EXPECT_NE(world.ask("GET", one + "?with_content=false").body.find(R"("payload":{},)"),
            std::string::npos);
  EXPECT_NE(world.ask("GET", one).body.find(R"("payload":{"secret":1},)"), std::string::npos);
  EXPECT_NE(world.ask("GET", root + "?with_content=false").body.find(R"("payload":{},)"),
            std::string::npos);
}

TEST_F(MessageRoutes, ARepeatedIdempotencyKeyGivesTheFirstAnswerAgain) {
  world.make_endpoint(application);
  const std::string body = R"({"eventType":"a","payload":{"n":1}})";
  const Reply first = post(body, "", "key");
  world.advance(std::chrono::seconds(5));

  const Reply again = post(body, "", "key");

  EXPECT_EQ(again.status, 202);
  EXPECT_EQ(again.body, first.body);
  EXPECT_EQ(world.handed_on.size(), 1U);

  const Reply reused = post(R"({"eventType":"a","payload":{"n":2}})", "", "key");
  EXPECT_EQ(reused.status, 409);
  EXPECT_EQ(reused.body, R"({"code":"conflict",)"
                         R"("detail":"this idempotency key was used before, with another body"})");

  world.advance(std::chrono::hours(12));
  const Reply later = post(body, "", "key");
  EXPECT_EQ(later.status, 202);
  EXPECT_NE(later.field("id"), first.field("id"));
}

// A producer asks again when it has not heard, and that may be after the message was sent.
TEST_F(MessageRoutes, ARepeatedKeyGivesTheFirstAnswerAlsoWhenTheTimeToDeliverHasCome) {
  const std::string scheduled = R"("deliverAt":"2027-01-15T08:30:00Z","payload":{}})";
  const std::string described = R"("application":{"name":"Acme","uid":"acme"},)";
  for (const std::string& more : {std::string(), described}) {
    const std::string body = R"({"eventType":"a",)" + more + scheduled;
    const Reply first = post(body, "", "key" + more);
    ASSERT_EQ(first.status, 202) << first.body;

    world.advance(std::chrono::hours(1));
    const Reply again = post(body, "", "key" + more);
    EXPECT_EQ(again.status, 202) << again.body;
    EXPECT_EQ(again.body, first.body);

    const Reply late = post(body, "", "another key");
    EXPECT_EQ(late.status, 422);
    EXPECT_EQ(late.body, R"({"detail":[{"loc":["body","deliverAt"],)"
                         R"("msg":"must be 1 minute to 24 hours ahead","type":"value_error"}]})");
    EXPECT_EQ(post(R"({"eventType":"b",)" + more + scheduled, "", "key" + more).status, 409);
    world.advance(-std::chrono::hours(1));
  }
}

TEST_F(MessageRoutes, AnIdempotencyKeyCountsForOneApplicationOnly) {
  world.make_application("other");
  const Ask ask{.body = R"({"eventType":"a","payload":{}})",
                .headers = {{"idempotency-key", "key"}}};
  const Reply one = world.ask("POST", "/api/v1/app/acme/msg", ask);
  const Reply two = world.ask("POST", "/api/v1/app/other/msg", ask);
  EXPECT_NE(one.field("id"), two.field("id"));
}

TEST_F(MessageRoutes, AnEventIdIsTakenOnce) {
  const std::string body = R"({"eventType":"a","eventId":"e-1","payload":{}})";
  EXPECT_EQ(post(body).status, 202);
  const Reply taken = post(body);
  EXPECT_EQ(taken.status, 409);
  EXPECT_EQ(taken.field("code"), "conflict");
}

TEST_F(MessageRoutes, BadInputNamesTheFieldAndTheReason) {
  const std::vector<std::array<std::string, 3>> cases = {
      {R"({"payload":{}})", R"(["body","eventType"])", "is missing"},
      {R"({"eventType":"a"})", R"(["body","payload"])", "is missing"},
      {R"({"eventType":"a","payload":[1]})", R"(["body","payload"])",
       "must be an object, not a list"},
      {R"({"eventType":"a","payload":null})", R"(["body","payload"])",
       "must be an object, not null"},
      {R"({"eventType":"a","data":"x"})", R"(["body","data"])", "must be an object, not a string"},
      {R"({"eventType":"a","payload":{},"data":{}})", R"(["body","data"])",
       R"(appears twice; \"data\" is another name for \"payload\")"},
      {R"({"eventType":"a","eventType":"b","payload":{}})", R"(["body","eventType"])",
       "appears twice"},
      {R"({"eventType":7,"payload":{}})", R"(["body","eventType"])",
       "must be a string, not a number"},
      {R"({"eventType":"a b","payload":{}})", R"(["body","eventType"])",
       R"(\"a b\" may hold only letters, digits, '-', '_' and '.')"},
      {R"({"eventType":"","payload":{}})", R"(["body","eventType"])", "must not be empty"},
      {R"({"eventType":"a","eventId":"","payload":{}})", R"(["body","eventId"])",
       "must not be empty"},
      {R"({"eventType":"a","eventId":"msg_1","payload":{}})", R"(["body","eventId"])",
       R"(must not begin with \"msg_\", as ids do)"},
      {R"({"eventType":"a","channels":[],"payload":{}})", R"(["body","channels"])",
       "must be null or name at least one channel"},
      {R"({"eventType":"a","channels":["a",1],"payload":{}})", R"(["body","channels","[1]"])",
       "must be a string, not a number"},
      {R"({"eventType":"a","channels":["a","b/c"],"payload":{}})", R"(["body","channels","[1]"])",
       R"(\"b/c\" may hold only letters, digits, '-', '_', '.', ':' and '+')"},
      {R"({"eventType":"a","deliverAt":"2027-01-15T08:00:59Z","payload":{}})",
       R"(["body","deliverAt"])", "must be 1 minute to 24 hours ahead"},
      {R"({"eventType":"a","deliverAt":7,"payload":{}})", R"(["body","deliverAt"])",
       "must be a time as a string, not a number"},
      {R"({"eventType":"a","transformationsParams":{"rawPayload":{}},"payload":{}})",
       R"(["body","transformationsParams","rawPayload"])", "must be a string, not an object"},
      {R"({"eventType":"a","transformationsParams":{"headers":{"Content-Type":"a\nb"}},)"
       R"("payload":{}})",
       R"(["body","transformationsParams","headers","Content-Type"])",
       "must be 1 to 256 characters of printable ASCII"},
      {R"({"eventType":"a","tags":[],"payload":{}})", R"(["body","tags"])",
       "must be null or name at least one tag"},
      {R"({"eventType":"a","tags":["a","a","a","a","a","a"],"payload":{}})", R"(["body","tags"])",
       "must be null or 1 to 5 tags"},
      {R"({"eventType":"a","payloadRetentionPeriod":91,"payload":{}})",
       R"(["body","payloadRetentionPeriod"])", "must be 1 to 90"},
      {R"({"eventType":"a","payloadRetentionHours":0,"payload":{}})",
       R"(["body","payloadRetentionHours"])", "must be 1 to 2160"},
      {R"({"eventType":"a","payloadRetentionHours":1,"payloadRetentionPeriod":1,"payload":{}})",
       R"(["body","payloadRetentionPeriod"])",
       "stands beside another retention of the payload; give one of them"},
  };
  for (const auto& [body, loc, message] : cases) {
    const Reply reply = post(body);
    EXPECT_EQ(reply.status, 422) << body;
    EXPECT_EQ(reply.body, R"({"detail":[{"loc":)" + loc + R"(,"msg":")" + message +
                              R"(","type":"value_error"}]})");
  }
  EXPECT_TRUE(world.handed_on.empty());
}

TEST_F(MessageRoutes, NullIsAsGoodAsAbsentWhereClientsSendIt) {
  EXPECT_EQ(post(R"({"eventType":"a","eventId":null,"channels":null,"deliverAt":null,)"
                 R"("transformationsParams":null,"application":null,"tags":null,"payload":{}})")
                .status,
            202);
}

TEST_F(MessageRoutes, AreListedNewestFirst) {
  const std::vector<std::string> ids = {world.make_message("acme"), world.make_message("acme"),
                                        world.make_message("acme")};
  EXPECT_EQ(page("", ids), "210 done");
  EXPECT_EQ(page("?limit=2", ids), "21 more");
  EXPECT_EQ(page("?limit=3", ids), "210 done");
  EXPECT_EQ(page("?limit=2&iterator=" + ids[1], ids), "0 done");
  EXPECT_EQ(page("?limit=1&iterator=-" + ids[0], ids), "1 more");
  EXPECT_EQ(page("?limit=2&iterator=-" + ids[0], ids), "21 done");
}

// Each of the pages says how to go on, and together they are the whole list.
TEST_F(MessageRoutes, APageOfLargeOnesIsBoundedInBytes) {
  const std::string text(400'000, 'x');
  std::vector<std::string> ids;
  for (int i = 0; i < 5; ++i) {
    ids.push_back(post(R"({"eventType":"a","payload":{"text":")" + text + R"("}})").field("id"));
    world.advance(std::chrono::seconds(1));
  }
  EXPECT_EQ(page("?limit=250", ids), "43 more");
  EXPECT_EQ(page("?limit=250&iterator=" + ids[3], ids), "21 more");
  EXPECT_EQ(page("?limit=250&iterator=" + ids[1], ids), "0 done");
  EXPECT_EQ(page("?limit=250&iterator=-" + ids[0], ids), "21 more");
  EXPECT_EQ(page("?limit=250&iterator=-" + ids[2], ids), "43 done");
  EXPECT_EQ(page("?limit=250&with_content=false", ids), "43210 done");
}

TEST_F(MessageRoutes, WhoHasTooMuchToReadIsToldToReadItFirst) {
  const auto account = world.memory->account(application);
  const MemoryHold unread = world.memory->take(MemoryUse::Responses, 16U << 20U, account);
  const Reply refused = world.ask("GET", root);
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.header("Retry-After"), "1");
  EXPECT_NE(refused.body.find("read them"), std::string::npos) << refused.body;
  world.make_application("other");
  EXPECT_EQ(world.ask("GET", "/api/v1/app/other/msg").status, 200);
}

TEST_F(MessageRoutes, AreFilteredByTypeChannelAndTime) {
  std::vector<std::string> ids;
  for (int i = 0; i < 6; ++i) {
    const std::string type(1, static_cast<char>('a' + i % 3));
    const std::string channels = i < 2 ? R"(["eu"])" : "null";
    ids.push_back(
        post(R"({"eventType":")" + type + R"(","channels":)" + channels + R"(,"payload":{}})")
            .field("id"));
    world.advance(std::chrono::minutes(1));
  }
  EXPECT_EQ(page("?event_types=a", ids), "30 done");
  EXPECT_EQ(page("?event_types=a,c", ids), "5320 done");
  EXPECT_EQ(page("?event_types[]=a&event_types[]=b", ids), "4310 done");
  EXPECT_EQ(page("?event_types[0]=a&limit=1", ids), "3 more");
  EXPECT_EQ(page("?event_types=a&limit=1&iterator=" + ids[3], ids), "0 done");
  EXPECT_EQ(page("?channel=eu", ids), "10 done");
  EXPECT_EQ(page("?before=2027-01-15T08:02:00Z", ids), "10 done");
  EXPECT_EQ(page("?after=2027-01-15T08:03:00Z", ids), "54 done");
  EXPECT_EQ(page("?after=2027-01-15T08:00:00%2B00:00&before=2027-01-15T09:04:00+01:00", ids),
            "321 done");
  EXPECT_EQ(page("?after=2027-01-15T08:00:30Z&limit=1&iterator=-" + ids[3], ids), "4 more");
  EXPECT_EQ(page("?before=2027-01-15T08:04:00Z&iterator=-" + ids[2], ids), "3 done");
}

TEST_F(MessageRoutes, AFilterThatFindsLittleSaysWhereToGoOn) {
  const std::string wanted = world.make_message("acme", "rare");
  world.advance(std::chrono::seconds(1));
  std::vector<store::Acceptance> batch(kScanMax + 2 * kLimitMax);
  for (store::Acceptance& each : batch) {
    each.message.id = MessageId(world.maker.make(world.clock.now));
    each.message.application = *ApplicationId::parse(application);
    each.message.event_type = "common";
    each.payload = std::make_shared<const std::string>("{}");
  }
  world.advance(std::chrono::seconds(1));
  world.store.accept(std::move(batch), [](const auto& accepted) { EXPECT_TRUE(accepted.ok()); });

  const Reply first = world.ask("GET", root + "?event_types=rare");
  EXPECT_NE(first.body.find(R"({"data":[],"iterator":"msg_)"), std::string::npos) << first.body;
  EXPECT_TRUE(first.body.ends_with(R"("done":false})"));
  EXPECT_EQ(page("?event_types=rare&iterator=" + first.field("iterator"), {wanted}), "0 done");
}

TEST_F(MessageRoutes, TagsAreShownAndFoundBy) {
  const std::vector<std::string> ids = {
      post(R"({"eventType":"a","tags":["batch:1","eu"],"payload":{}})").field("id"),
      post(R"({"eventType":"a","tags":["eu"],"payload":{}})").field("id"),
      world.make_message("acme")};

  EXPECT_NE(world.ask("GET", root + "/" + ids[0]).body.find(R"("tags":["batch:1","eu"],)"),
            std::string::npos);
  EXPECT_EQ(page("?tag=eu", ids), "10 done");
  EXPECT_EQ(page("?tag=batch:1", ids), "0 done");
}

TEST_F(MessageRoutes, AScheduledMessageIsDueThen) {
  const std::string endpoint = world.make_endpoint("acme");
  const Reply made =
      post(R"({"eventType":"a","deliverAt":"2027-01-15T10:00:00+01:00","payload":{}})");

  ASSERT_EQ(made.status, 202) << made.body;
  EXPECT_EQ(made.field("deliverAt"), "2027-01-15T09:00:00.000000Z");
  const auto delivery =
      world.store.delivery({*EndpointId::parse(endpoint), *MessageId::parse(made.field("id"))});
  ASSERT_TRUE(delivery.ok());
  EXPECT_EQ(delivery->due_at, world.clock.now + std::chrono::hours(1));
  EXPECT_TRUE(delivery->is_scheduled);
}

TEST_F(MessageRoutes, AreRefusedWithASentenceWhileTheServerIsFull) {
  world.may_accept = unavailable("the server keeps as much as it may: try again later");
  const Reply refused = post(R"({"eventType":"a","payload":{}})");
  EXPECT_EQ(refused.status, 503);
  EXPECT_FALSE(refused.header("Retry-After").empty());
  EXPECT_NE(refused.body.find("the server keeps as much as it may"), std::string::npos);

  world.may_accept = Done{};
  EXPECT_EQ(post(R"({"eventType":"a","payload":{}})").status, 202);
}

TEST_F(MessageRoutes, APayloadIsGoneAfterItsRetention) {
  const std::string day =
      post(R"({"eventType":"a","payloadRetentionPeriod":1,"payload":{"n":1}})").field("id");
  const std::string hour =
      post(R"({"eventType":"a","payloadRetentionHours":1,"payload":{"n":1}})").field("id");
  const auto payload = [&](const std::string& id) {
    const std::string body = world.ask("GET", root + "/" + id).body;
    return body.find(R"("payload":{"expired":true})") != std::string::npos ? "expired" : "there";
  };

  EXPECT_EQ(payload(hour), std::string("there"));
  world.advance(std::chrono::hours(1));
  EXPECT_EQ(payload(hour), std::string("expired"));
  EXPECT_EQ(payload(day), std::string("there"));
  world.advance(std::chrono::hours(23));
  EXPECT_EQ(payload(day), std::string("expired"));
}

TEST_F(MessageRoutes, AnExpungedPayloadIsGoneAndTheMessageStays) {
  const std::string id = world.make_message("acme");

  EXPECT_EQ(world.ask("DELETE", root + "/" + id + "/content").status, 204);

  const Reply reply = world.ask("GET", root + "/" + id);
  EXPECT_EQ(reply.status, 200);
  EXPECT_NE(reply.body.find(R"("payload":{"expired":true})"), std::string::npos) << reply.body;
  EXPECT_EQ(world.ask("DELETE", root + "/none/content").status, 404);
  EXPECT_EQ(world
                .ask("DELETE", root + "/" + id + "/content",
                     {.token = world.application_token(application)})
                .status,
            403);
}

TEST_F(MessageRoutes, ARawPayloadIsKeptToTheByteWithItsContentType) {
  const Reply made =
      post(R"({"eventType":"a","payload":{},"transformationsParams":)"
           R"({"rawPayload":"<a b=\"c\"/>","headers":{"Content-Type":"text/xml"}}})");

  ASSERT_EQ(made.status, 202) << made.body;
  EXPECT_NE(made.body.find(R"("payload":{"rawPayload":"<a b=\"c\"/>"})"), std::string::npos);
  const MessageId id = *MessageId::parse(made.field("id"));
  EXPECT_EQ(**world.store.payload(id), R"(<a b="c"/>)");
  EXPECT_EQ(world.store.message(*ApplicationId::parse(application), id)->content_type, "text/xml");
  EXPECT_EQ(world.ask("GET", root + "/" + id.text()).body, made.body);
}

TEST_F(MessageRoutes, ARawPayloadThatIsAnObjectIsShownAsOne) {
  const Reply made = post(
      R"({"eventType":"a","payload":{},"transformationsParams":{"rawPayload":"{ \"n\": 1 }"}})");
  EXPECT_NE(made.body.find(R"("payload":{ "n": 1 },)"), std::string::npos) << made.body;

  const Reply broken =
      post(R"({"eventType":"a","payload":{},"transformationsParams":{"rawPayload":"{ no"}})");
  EXPECT_NE(broken.body.find(R"("payload":{"rawPayload":"{ no"},)"), std::string::npos)
      << broken.body;
}

TEST_F(MessageRoutes, AnUnknownApplicationIsMadeOnTheFly) {
  const std::string path = "/api/v1/app/fresh/msg";
  const Ask ask{.body = R"({"eventType":"a","payload":{},)"
                        R"("application":{"name":"Fresh","uid":"fresh"}})"};

  EXPECT_EQ(world.ask("POST", path, {.body = R"({"eventType":"a","payload":{}})"}).status, 404);
  ASSERT_EQ(world.ask("POST", path, ask).status, 202);
  EXPECT_EQ(world.ask("GET", "/api/v1/app/fresh").field("name"), "Fresh");
  EXPECT_EQ(world.ask("POST", path, ask).status, 202) << "and used when it is there";
}

TEST_F(MessageRoutes, AnApplicationOnTheFlyHasTheUidOfThePath) {
  const auto refused = [&](const std::string& described) {
    return world.ask("POST", "/api/v1/app/fresh/msg",
                     {.body = R"({"eventType":"a","payload":{},"application":)" + described + "}"});
  };
  EXPECT_EQ(refused(R"({"name":"A"})").body,
            R"({"detail":[{"loc":["body","application","uid"],"msg":)"
            R"("is missing: it must be the one in the path","type":"application_uid_missing"}]})");
  EXPECT_EQ(refused(R"({"name":"A","uid":"other"})").body,
            R"({"detail":[{"loc":["body","application","uid"],)"
            R"("msg":"is not the one in the path","type":"application_uid_mismatch"}]})");
  const Reply nameless = refused(R"({"uid":"fresh"})");
  EXPECT_EQ(nameless.status, 422);
  EXPECT_NE(nameless.body.find(R"(["body","application","name"])"), std::string::npos);
  EXPECT_EQ(world.ask("GET", "/api/v1/app/fresh").status, 404);
}

TEST_F(MessageRoutes, ABadMessageLeavesNoApplicationBehind) {
  const Reply reply = world.ask("POST", "/api/v1/app/fresh/msg",
                                {.body = R"({"eventType":"a b","payload":{},)"
                                         R"("application":{"name":"Fresh","uid":"fresh"}})"});
  EXPECT_EQ(reply.status, 422);
  EXPECT_EQ(world.ask("GET", "/api/v1/app/fresh").status, 404);
}

TEST_F(MessageRoutes, APrecheckSaysWhetherAnybodyWouldGetIt) {
  const auto active = [&](const std::string& body) {
    return world.ask("POST", root + "/precheck/active", {.body = body}).body;
  };
  EXPECT_EQ(active(R"({"eventType":"a"})"), R"({"active":false})");
  world.make_endpoint("acme", R"(,"eventTypes":["a"],"channels":["eu"])");
  world.make_endpoint("acme", R"(,"eventTypes":["b"],"disabled":true)");
  EXPECT_EQ(active(R"({"eventType":"a","channels":["eu"]})"), R"({"active":true})");
  EXPECT_EQ(active(R"({"eventType":"a","channels":null})"), R"({"active":false})");
  EXPECT_EQ(active(R"({"eventType":"b"})"), R"({"active":false})");
  EXPECT_NE(active("{}").find(R"(["body","eventType"],"msg":"is missing")"), std::string::npos);
}

TEST_F(MessageRoutes, APayloadHasToFitTheSchemaIfItsTypeSaysSo) {
  const std::string type =
      R"({"name":"invoice.paid","description":"d","validate":true,"schemas":{"1":{"type":"object",)"
      R"("properties":{"lines":{"type":"array","items":{"type":"integer"}}}}}})";
  ASSERT_EQ(world.ask("POST", "/api/v1/event-type", {.body = type}).status, 201);

  EXPECT_EQ(post(R"({"eventType":"invoice.paid","payload":{"lines":[1,2]}})").status, 202);
  const Reply refused = post(R"({"eventType":"invoice.paid","payload":{"lines":[1,"two"]}})");
  EXPECT_EQ(refused.status, 422);
  EXPECT_NE(refused.body.find(R"(["body","payload","lines","[1]"])"), std::string::npos)
      << refused.body;
  EXPECT_EQ(post(R"({"eventType":"another","payload":{"lines":"any"}})").status, 202);

  ASSERT_EQ(world.ask("PATCH", "/api/v1/event-type/invoice.paid", {.body = R"({"validate":false})"})
                .status,
            200);
  EXPECT_EQ(post(R"({"eventType":"invoice.paid","payload":{"lines":[1,"two"]}})").status, 202);
}

TEST_F(MessageRoutes, AnUnknownMessageIsNotFound) {
  for (const char* id : {"msg_23rb8YdGqMT0qIzpgGwdXfHirMu", "msg_!", "no-such"}) {
    const Reply reply = world.ask("GET", root + "/" + id);
    EXPECT_EQ(reply.status, 404);
    EXPECT_EQ(reply.body, R"({"code":"not_found","detail":"there is no such message"})");
  }
}

}  // namespace
}  // namespace petrel::api
