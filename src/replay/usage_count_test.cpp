#include "replay/usage_count.h"

#include "replay/testing/dead_world.h"

namespace petrel::replay {
namespace {

using std::chrono::hours;

class UsageCountTest : public DeadWorld {
 protected:
  std::string counted(const model::Selection& selection) {
    UsageCount usage(selection);
    for (int steps = 0; !usage.is_done() && steps < 100; ++steps) {
      EXPECT_TRUE(usage.go_on(store).ok());
    }
    EXPECT_TRUE(usage.is_done());
    return usage.json();
  }

  std::string entry(ApplicationId of, int count) {
    return R"({"appId":")" + of.text() + R"(","messageDestinations":)" + std::to_string(count) +
           "}";
  }
};

TEST_F(UsageCountTest, CountsTheDeliveriesOfEachApplicationInItsTime) {
  message({endpoint});
  clock.time += hours(1);
  model::Selection selection{.since = clock.wall(), .until = clock.wall() + hours(1)};
  message({endpoint, make_endpoint()});
  message({});
  message({endpoint});
  clock.time += hours(2);
  message({endpoint});
  const ApplicationId empty(maker.make(clock.wall()));
  selection.applications = {application, empty};

  EXPECT_EQ(counted(selection),
            R"({"appStats":[)" + entry(application, 3) + "," + entry(empty, 0) + "]}");
}

TEST_F(UsageCountTest, ALongOneIsMadeInStretches) {
  for (std::size_t i = 0; i <= kLookMax; ++i) message({endpoint});
  const model::Selection selection{.applications = {application}};

  UsageCount usage(selection);
  ASSERT_TRUE(usage.go_on(store).ok());
  EXPECT_FALSE(usage.is_done());
  EXPECT_EQ(counted(selection), R"({"appStats":[)" + entry(application, 501) + "]}");
}

TEST_F(UsageCountTest, WithoutApplicationsThereIsNothingToCount) {
  EXPECT_EQ(counted({}), R"({"appStats":[]})");
}

}  // namespace
}  // namespace petrel::replay
