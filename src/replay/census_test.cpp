#include "replay/census.h"

#include "replay/testing/dead_world.h"

namespace petrel::replay {
namespace {

using std::chrono::hours;

class CensusTest : public DeadWorld {
 protected:
  std::string counted(const model::Selection& selection) {
    Census census(selection);
    for (int steps = 0; !census.is_done() && steps < 100; ++steps) {
      EXPECT_TRUE(census.go_on(store).ok());
    }
    EXPECT_TRUE(census.is_done());
    return census.json();
  }

  std::string entry(ApplicationId of, int count) {
    return R"({"appId":")" + of.text() + R"(","messageDestinations":)" + std::to_string(count) +
           "}";
  }
};

TEST_F(CensusTest, CountsTheDeliveriesOfEachApplicationInItsTime) {
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

TEST_F(CensusTest, ALongOneIsMadeInStretches) {
  for (std::size_t i = 0; i <= kLookMax; ++i) message({endpoint});
  const model::Selection selection{.applications = {application}};

  Census census(selection);
  ASSERT_TRUE(census.go_on(store).ok());
  EXPECT_FALSE(census.is_done());
  EXPECT_EQ(counted(selection), R"({"appStats":[)" + entry(application, 501) + "]}");
}

TEST_F(CensusTest, WithoutApplicationsThereIsNothingToCount) {
  EXPECT_EQ(counted({}), R"({"appStats":[]})");
}

}  // namespace
}  // namespace petrel::replay
