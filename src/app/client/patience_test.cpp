#include "app/client/patience.h"

#include <gtest/gtest.h>

namespace petrel::app {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Patience kPatience{.tries_max = 10};

TEST(Patience, WaitsTwiceAsLongEachTimeUpToALimit) {
  EXPECT_EQ(kPatience.next_wait(1, 503, {}), milliseconds(500));
  EXPECT_EQ(kPatience.next_wait(2, 503, {}), seconds(1));
  EXPECT_EQ(kPatience.next_wait(5, 503, {}), seconds(8));
  EXPECT_EQ(kPatience.next_wait(6, 503, {}), seconds(15));
  EXPECT_EQ(kPatience.next_wait(9, 503, {}), seconds(15));
}

TEST(Patience, EndsAfterItsTries) {
  EXPECT_EQ(kPatience.next_wait(10, 503, {}), std::nullopt);
  EXPECT_EQ(Patience{}.next_wait(1, 503, {}), std::nullopt);
}

TEST(Patience, HeedsRetryAfterWithinReason) {
  EXPECT_EQ(kPatience.next_wait(1, 429, seconds(7)), seconds(7));
  EXPECT_EQ(kPatience.next_wait(1, 429, seconds(3600)), seconds(60));
}

TEST(Patience, RepeatsOnlyWhatMayPass) {
  for (const int status : {0, 408, 429, 500, 502, 503, 504}) {
    EXPECT_TRUE(kPatience.next_wait(1, status, {})) << status;
  }
  for (const int status : {200, 204, 301, 400, 401, 403, 404, 409, 422, 501}) {
    EXPECT_FALSE(kPatience.next_wait(1, status, {})) << status;
  }
}

}  // namespace
}  // namespace petrel::app
