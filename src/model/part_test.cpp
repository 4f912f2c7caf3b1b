#include "model/part.h"

#include <gtest/gtest.h>

namespace petrel::model {
namespace {

// Machines that share a store must agree, whatever they were built with.
TEST(Part, IsTheSameOnEveryMachine) {
  EXPECT_EQ(part_of("https://example.com/"), 123);
  EXPECT_EQ(part_of("http://127.0.0.1:8080/hook"), 254);
  EXPECT_EQ(part_of("https://hooks.acme.io:8443/"), 150);
}

TEST(Part, GoesByTheAuthorityAlone) {
  const Part part = part_of("https://example.com");
  EXPECT_EQ(part_of("https://EXAMPLE.com:443/another/path?query"), part);
  EXPECT_NE(part_of("http://example.com"), part);
  EXPECT_NE(part_of("https://example.com:444"), part);
}

TEST(Part, IsThereForWhatIsNoUrl) { EXPECT_EQ(part_of("not a url"), part_of("not a url")); }

}  // namespace
}  // namespace petrel::model
