#include "intake/schema_check.h"

#include <gtest/gtest.h>

namespace petrel::intake {
namespace {

model::EventType enforced(const std::string& schemas) {
  model::EventType type;
  type.name = "invoice.paid";
  type.is_enforced = true;
  type.schemas = schemas;
  return type;
}

std::string problem(const model::EventType& type, std::string_view payload) {
  const Status status = check_payload(type, payload);
  return status.ok() ? "" : status.error().text();
}

TEST(SchemaCheck, SaysWhereThePayloadDoesNotFit) {
  const auto type = enforced(R"({"1":{"properties":{"lines":{"items":{"required":["sku"]}}}}})");
  EXPECT_EQ(problem(type, R"({"lines":[{"sku":1}]})"), "");
  EXPECT_EQ(problem(type, R"({"lines":[{"sku":1},{}]})"), "payload.lines[1].sku: is missing");
  EXPECT_EQ(problem(enforced(R"({"1":false})"), "{}"), "payload: is not allowed");
}

TEST(SchemaCheck, TheHighestVersionCounts) {
  const auto type = enforced(R"({"2":false,"10":true,"9":false,"latest":false})");
  EXPECT_EQ(problem(type, "{}"), "");
}

TEST(SchemaCheck, ATypeThatDoesNotWantItIsNotChecked) {
  model::EventType type = enforced(R"({"1":false})");
  type.is_enforced = false;
  EXPECT_EQ(problem(type, "{}"), "");
  EXPECT_EQ(problem(enforced(""), "{}"), "");
}

TEST(SchemaCheck, AChangedSchemaCountsAtOnce) {
  EXPECT_EQ(problem(enforced(R"({"1":true})"), "{}"), "");
  EXPECT_EQ(problem(enforced(R"({"1":false})"), "{}"), "payload: is not allowed");
  EXPECT_EQ(problem(enforced(R"({"1":true})"), "{}"), "");
}

TEST(SchemaCheck, APayloadThatIsAmbiguousIsRefused) {
  EXPECT_EQ(problem(enforced(R"({"1":true})"), R"({"a":1,"a":2})"), "payload.a: appears twice");
}

}  // namespace
}  // namespace petrel::intake
