#include "api/http/error.h"

#include <gtest/gtest.h>

namespace petrel::api {
namespace {

TEST(ErrorResponse, EveryKindHasItsStatusAndCode) {
  const auto shown = [](const Error& error) {
    const net::HttpResponse response = error_response(error);
    return std::to_string(response.status) + " " + response.body;
  };
  EXPECT_EQ(shown(not_found("none")), R"(404 {"code":"not_found","detail":"none"})");
  EXPECT_EQ(shown(conflict("taken")), R"(409 {"code":"conflict","detail":"taken"})");
  EXPECT_EQ(shown(unavailable("too many reads are under way; try again in a moment")),
            R"(503 {"code":"unavailable",)"
            R"("detail":"too many reads are under way; try again in a moment"})");
  EXPECT_EQ(shown(corrupt("torn at a file")),
            R"(500 {"code":"internal_error","detail":"what is stored cannot be read"})");
  EXPECT_EQ(shown(invalid("body.retryPolicy.rules[2].on", "is not a status")),
            R"(422 {"detail":[{"loc":["body","retryPolicy","rules","[2]","on"],)"
            R"("msg":"is not a status","type":"value_error"}]})");
  EXPECT_EQ(shown(invalid("body.a[0][1]", "x")),
            R"(422 {"detail":[{"loc":["body","a","[0]","[1]"],"msg":"x","type":"value_error"}]})");
  EXPECT_EQ(shown(invalid("body", "is not JSON")),
            R"(422 {"detail":[{"loc":["body"],"msg":"is not JSON",)"
            R"("type":"value_error.jsondecode"}]})");
}

TEST(ErrorResponse, UnavailableSaysWhenToComeBack) {
  EXPECT_EQ(error_response(unavailable("full")).headers, (net::HttpHeaders{{"Retry-After", "1"}}));
  EXPECT_TRUE(error_response(not_found("none")).headers.empty());
}

TEST(ErrorResponse, WhatTheStoreSaysIsForTheOperatorAlone) {
  const Error error = unavailable("IO error: No space left on device: /var/lib/petrel/000012.log");
  EXPECT_FALSE(is_for_callers(error));
  EXPECT_EQ(error_response(error).body,
            R"({"code":"unavailable","detail":"the store cannot do this now; try again in a )"
            R"(moment, with the same idempotency key if this was a POST"})");
  EXPECT_FALSE(is_for_callers(corrupt("000012.sst: block checksum mismatch")));
  EXPECT_TRUE(is_for_callers(not_found("there is no such endpoint")));
}

TEST(ErrorPage, HasTheWordsThatClientsKnow) {
  EXPECT_EQ(error_page(401, "x").body, R"({"code":"authentication_failed","detail":"x"})");
  EXPECT_EQ(error_page(403, "x").body, R"({"code":"insufficient access","detail":"x"})");
  EXPECT_EQ(error_page(413, "x").body, R"({"code":"payload_too_large","detail":"x"})");
  EXPECT_EQ(error_page(400, "x").body, R"({"code":"bad_request","detail":"x"})");
}

}  // namespace
}  // namespace petrel::api
