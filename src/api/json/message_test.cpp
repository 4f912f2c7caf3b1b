#include "api/json/message.h"

#include <gtest/gtest.h>

namespace petrel::api {
namespace {

std::string with_payload(const std::string& payload) {
  return R"({"eventType":"a","payload":)" + payload + R"(,"after":1})";
}

struct MessageReaderTest : testing::Test {
  // The payload, or what is wrong.
  std::string read(std::string body) {
    const Result<MessageBody> message = reader.read(body);
    return message.ok() ? *message->payload : message.error().text();
  }

  MessageReader reader;
};

TEST_F(MessageReaderTest, ThePayloadStaysTheBytesThatCame) {
  for (const char* payload : {
           "{}",
           "{ }",
           "{\n  \"a\" : [ 1 , 2.0, -0, 1E+5 ]\r\n\t}",
           R"({"a":{"payload":{"b":"}"}}})",
           R"({"dup":1,"dup":2})",
           R"({"big":123456789012345678901234567890,"fine":0.1000000000000000055511151231257827})",
           R"({"huge":1e400,"tiny":1e-400})",
           R"({"s":"\u00e9\ud83d\ude00\"\\\/\b\f\n\r\t"})",
           "{\"s\":\"\xc3\xa9\"}",
           R"({"t":true,"f":false,"n":null,"e":"","o":{},"l":[[],[[]]]})",
       }) {
    EXPECT_EQ(read(with_payload(payload)), payload);
  }
}

TEST_F(MessageReaderTest, ThePayloadEndsWithItsBrace) {
  EXPECT_EQ(read("{\"payload\": {\"a\":1} \t\r\n, \"eventType\":\"a\"}"), R"({"a":1})");
  EXPECT_EQ(read("{\"eventType\":\"a\",\"payload\": { } \n} "), "{ }");
}

TEST_F(MessageReaderTest, EveryPartOfTheBodyMustBeJson) {
  for (const char* payload : {
           "{",
           "{]",
           "{\"a\"}",
           "{\"a\":}",
           "{\"a\":1,}",
           "{\"a\":1 2}",
           "{a:1}",
           "{\"a\":01}",
           "{\"a\":1.}",
           "{\"a\":.5}",
           "{\"a\":+1}",
           "{\"a\":1e}",
           "{\"a\":-}",
           "{\"a\":0x1}",
           "{\"a\":tru}",
           "{\"a\":truee}",
           "{\"a\":nul}",
           "{\"a\":nulll}",
           "{\"a\":NaN}",
           "{\"a\":'b'}",
           "{\"a\":\"\\x\"}",
           "{\"a\":\"\\ud83d\"}",
           "{\"a\":\"\\u12\"}",
           "{\"\\x\":1}",
           "{\"a\":\"\x01\"}",
           "{\"a\":\"\xff\"}",
           "{\"a\":\"\xc3\"}",
           "{\"a\":[1,]}",
           "{\"a\":[1 2]}",
           "{\"a\":[1}",
           "{\"a\":1}}",
           "{\"a\":\"b\"\"c\"}",
           "{\"a\" 1}",
           "{\"a\":1 \"b\":2}",
           "{\"a\":[,1]}",
           "{,}",
       }) {
    const std::string problem = read(with_payload(payload));
    EXPECT_EQ(problem.find("is not valid JSON: "), 0U) << payload << " gives " << problem;
    // The same where what it says is not read.
    const std::string aside =
        R"({"eventType":"a","payload":{},"aside":)" + std::string(payload) + "}";
    EXPECT_EQ(read(aside).find("is not valid JSON: "), 0U) << payload;
  }
  EXPECT_EQ(read(R"({"eventType":"a","payload":{}} x)").find("is not valid JSON: "), 0U);
  EXPECT_EQ(read(R"({"eventType":"a","payload":{}}{})").find("is not valid JSON: "), 0U);
  EXPECT_EQ(read(R"({"eventType":"a","payload":{})").find("is not valid JSON: "), 0U);
  EXPECT_EQ(read(""), "is empty where JSON was expected");
  EXPECT_NE(read(" \n ").find("JSON"), std::string::npos);
  EXPECT_EQ(read("[]"), "must be an object, not a list");
  EXPECT_EQ(read("7"), "must be an object, not a number");
}

TEST_F(MessageReaderTest, NestingHasAnEnd) {
  const auto nested = [](int depth) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += R"({"a":)";
    return text + "1" + std::string(static_cast<std::size_t>(depth), '}');
  };
  const std::string deep = nested(kMessageDepthMax - 1);
  EXPECT_EQ(read(with_payload(deep)), deep);
  EXPECT_EQ(read(with_payload(nested(kMessageDepthMax + 1))),
            "is nested more than 256 levels deep");
  EXPECT_EQ(read(with_payload(R"({"a":)" + std::string(100'000, '[') + "}")).find("is "), 0U);
}

TEST_F(MessageReaderTest, NamesMayBeEscaped) {
  EXPECT_EQ(read(R"({"event\u0054ype":"a","p\u0061yload":{"x":1}})"), R"({"x":1})");
}

TEST_F(MessageReaderTest, ReadsTheOtherFields) {
  std::string body = R"({"channels":["b","a\u0062"],"eventId":"e","eventType":"t","data":{}})";
  const Result<MessageBody> message = reader.read(body);
  ASSERT_TRUE(message.ok());
  EXPECT_EQ(message->event_type, "t");
  EXPECT_EQ(message->event_id, "e");
  EXPECT_EQ(message->channels, (std::vector<std::string>{"b", "ab"}));
}

TEST_F(MessageReaderTest, OneBodyLeavesNothingForTheNext) {
  EXPECT_EQ(read(with_payload("{\"a\":\"" + std::string(100'000, 'x') + "\"}")).size(), 100'008U);
  EXPECT_EQ(read("{").find("is not valid JSON: "), 0U);
  EXPECT_EQ(read(R"({"payload":{}})"), "eventType: is missing");
  EXPECT_EQ(read(with_payload("{}")), "{}");
}

TEST(PayloadText, ShowsWhatThereIs) {
  const model::Message message;
  const auto payload = std::make_shared<const std::string>(R"({"a":1})");
  EXPECT_EQ(payload_text(message, payload, true), R"({"a":1})");
  EXPECT_EQ(payload_text(message, payload, false), "{}");
  EXPECT_EQ(payload_text(message, nullptr, true), R"({"expired":true})");
  EXPECT_EQ(payload_text(message, nullptr, false), "{}");
}

TEST(PayloadText, WhatIsNoObjectIsWrappedIntoOne) {
  model::Message message;
  message.content_type = "text/xml";
  const auto payload = std::make_shared<const std::string>(R"(<a b="c"/>)");
  EXPECT_EQ(payload_text(message, payload, true), R"({"rawPayload":"<a b=\"c\"/>"})");
}

}  // namespace
}  // namespace petrel::api
