#include "api/http/metrics_gate.h"

#include <gtest/gtest.h>

namespace petrel::api {
namespace {

int status_of(const MetricsGate& gate, const std::string& authorization) {
  net::HttpRequest request;
  if (!authorization.empty()) request.headers.emplace_back("Authorization", authorization);
  const auto refusal = gate.refusal(request);
  return refusal ? refusal->status : 200;
}

TEST(MetricsGate, IsOpenToEverybodyIfNothingIsSet) { EXPECT_EQ(status_of({}, ""), 200); }

TEST(MetricsGate, WantsItsOwnTokenAndNoOther) {
  const MetricsGate gate{.token = "sixteen letters."};
  EXPECT_EQ(status_of(gate, "Bearer sixteen letters."), 200);
  EXPECT_EQ(status_of(gate, "bearer sixteen letters."), 200);
  for (const char* const wrong : {"", "Bearer sixteen letters", "Bearer sixteen letters!",
                                  "Basic sixteen letters.", "sixteen letters."}) {
    EXPECT_EQ(status_of(gate, wrong), 401) << wrong;
  }
}

TEST(MetricsGate, SaysWhyItIsClosedEvenToThoseWhoHaveTheToken) {
  const MetricsGate gate{.token = "sixteen letters.", .closed_why = "elsewhere"};
  net::HttpRequest request;
  request.headers.emplace_back("Authorization", "Bearer sixteen letters.");
  const auto refusal = gate.refusal(request);

  ASSERT_TRUE(refusal.has_value());
  EXPECT_EQ(refusal->status, 403);
  EXPECT_NE(refusal->body.find("elsewhere"), std::string::npos);
}

}  // namespace
}  // namespace petrel::api
