#include "model/endpoint.h"

#include <gtest/gtest.h>

namespace petrel::model {
namespace {

Endpoint endpoint_with(std::vector<std::string> event_types, std::vector<std::string> channels) {
  SeededSecureRandom random(1);
  Endpoint endpoint(signature::KeyRing{signature::Secret::generate(random)});
  endpoint.event_types = std::move(event_types);
  endpoint.channels = std::move(channels);
  return endpoint;
}

TEST(Endpoint, WithoutFiltersItWantsEverything) {
  EXPECT_TRUE(wants(endpoint_with({}, {}), "invoice.paid", {}));
  EXPECT_TRUE(wants(endpoint_with({}, {}), "invoice.paid", {"eu"}));
}

TEST(Endpoint, WantsOnlyTheTypesItNames) {
  EXPECT_TRUE(wants(endpoint_with({"a", "b"}, {}), "b", {}));
  EXPECT_FALSE(wants(endpoint_with({"a", "b"}, {}), "c", {}));
}

TEST(Endpoint, WantsAMessageThatSharesAChannel) {
  EXPECT_TRUE(wants(endpoint_with({}, {"eu", "us"}), "a", {"us", "cn"}));
  EXPECT_FALSE(wants(endpoint_with({}, {"eu"}), "a", {"us"}));
  EXPECT_FALSE(wants(endpoint_with({}, {"eu"}), "a", {}));
}

TEST(Endpoint, SendsOnlyWhileItIsNeitherPausedNorDisabledNorDeleted) {
  Endpoint endpoint = endpoint_with({}, {});
  EXPECT_TRUE(endpoint.may_send());
  endpoint.is_disabled = true;
  EXPECT_FALSE(endpoint.may_send());
  endpoint.is_disabled = false;
  endpoint.pause = Pause{WallTime{}, "the receiver answered 410"};
  EXPECT_FALSE(endpoint.may_send());
  endpoint.pause.reset();
  endpoint.deleted_at = WallTime{};
  EXPECT_FALSE(endpoint.may_send());
}

}  // namespace
}  // namespace petrel::model
