#include "app/import/import_plan.h"

#include <gtest/gtest.h>

namespace petrel::app {
namespace {

using Notes = std::vector<std::string>;

RawObject object(std::string_view text) { return *RawObject::parse(text); }

ImportPlan plan(std::string_view record,
                const std::string& secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                std::string_view headers = R"({"headers": {}, "sensitive": []})") {
  return ImportPlan({.record = object(record), .secret = secret, .headers = object(headers)});
}

TEST(ImportPlan, TakesAnApplicationToTheByteWithoutWhatTheServerMakes) {
  const ImportBody body = application_body(object(
      R"({"id": "app_1", "name": "A \u0062", "uid": "acme", "throttleRate": 7, "rateLimit": 7,
          "metadata": {"a":  "1"}, "retention": null, "createdAt": "x", "updatedAt": "y"})"));

  EXPECT_EQ(body.json,
            R"({"name":"A \u0062","uid":"acme","metadata":{"a":  "1"},"throttleRate":7})");
  EXPECT_EQ(body.notes, Notes{});
}

TEST(ImportPlan, SaysWhichFieldsItDoesNotKnow) {
  const ImportBody body =
      application_body(object(R"({"name": "A", "wings": {"n": 2}, "empty": [], "off": false})"));

  EXPECT_EQ(body.json, R"({"name":"A"})");
  EXPECT_EQ(body.notes, Notes{R"(field "wings": is not known here)"});
}

TEST(ImportPlan, TakesAnEventTypeUnarchivedWithItsSchemas) {
  const ImportBody body = event_type_body(object(
      R"({"name": "a.b", "description": "", "archived": true, "deprecated": true,
          "schemas": {"1": {"minimum": 1.0}}, "featureFlag": "beta", "featureFlags": null})"));

  EXPECT_EQ(body.json, R"({"name":"a.b","deprecated":true,"schemas":{"1": {"minimum": 1.0}},)"
                       R"("description":"","featureFlag":"beta"})");
}

TEST(ImportPlan, TakesAnEndpointWithItsSecretAndHeaders) {
  const ImportPlan made =
      plan(R"({"id": "ep_1", "url": "https://a/", "description": "d", "version": 1,
               "disabled": true, "filterTypes": ["a.b"], "channels": ["c"], "rateLimit": 3,
               "timeout": "5s", "pause": null})",
           "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
           R"({"headers": {"X-A": "1", "x-b": "\"2\""}, "sensitive": []})");

  EXPECT_EQ(made.body(),
            R"({"url":"https://a/","description":"d","disabled":true,"channels":["c"],)"
            R"("eventTypes":["a.b"],"throttleRate":3,"timeout":"5s",)"
            R"("secret":"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",)"
            R"("headers":{"X-A":"1","x-b":"\"2\""}})");
  EXPECT_EQ(made.pause_reason(), "");
  EXPECT_EQ(made.notes(), Notes{});
}

TEST(ImportPlan, PausesAnEndpointThatLacksWhatTheSourceHides) {
  const ImportPlan made = plan(R"({"url": "https://a/", "clientCertificate": "PEM"})", "whpk_x",
                               R"({"headers": {}, "sensitive": ["Authorization"]})");

  EXPECT_EQ(made.body(), R"({"url":"https://a/"})");
  EXPECT_EQ(made.pause_reason(),
            "imported without its private key, the header Authorization, its client key");
  EXPECT_EQ(made.notes().size(), 3U);
  EXPECT_EQ(made.notes()[1], R"(header "Authorization": the source does not show its value; )"
                             "it is paused until this is set");
}

TEST(ImportPlan, KeepsAPauseAndItsReason) {
  EXPECT_EQ(
      plan(R"({"url": "https://a/", "pause": {"since": "x", "reason": "gone"}})").pause_reason(),
      "gone");
}

TEST(ImportPlan, DoesWithoutAHeaderThatTheTargetRefusesButNotWithoutAUrl) {
  ImportPlan made = plan(R"({"url": "https://a/"})", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                         R"({"headers": {"Via": "secret", "X-A": "1"}, "sensitive": []})");

  EXPECT_TRUE(made.leave_out("headers.via", "cannot be set"));
  EXPECT_FALSE(made.leave_out("headers.via", "cannot be set"));
  EXPECT_FALSE(made.leave_out("url", "is not public"));
  EXPECT_FALSE(made.leave_out("eventTypes[0]", "is not known"));
  EXPECT_FALSE(made.leave_out("", ""));

  EXPECT_EQ(made.body().find("Via"), std::string::npos);
  EXPECT_EQ(made.notes(), Notes{R"(header "via": cannot be set; it is paused until this is set)"});
  EXPECT_EQ(made.pause_reason(), "imported without the header via");
}

TEST(ImportPlan, NeverPutsASecretIntoItsNotes) {
  ImportPlan made = plan(R"({"url": "https://a/"})", "whsec_short",
                         R"({"headers": {"Via": "hush"}, "sensitive": []})");
  EXPECT_TRUE(made.leave_out("secret", "must have 24 bytes at least"));
  EXPECT_TRUE(made.leave_out("headers.Via", "cannot be set"));

  for (const std::string& note : made.notes()) {
    EXPECT_EQ(note.find("whsec"), std::string::npos) << note;
    EXPECT_EQ(note.find("hush"), std::string::npos) << note;
  }
}

}  // namespace
}  // namespace petrel::app
