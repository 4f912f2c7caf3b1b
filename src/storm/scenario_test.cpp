#include "storm/scenario.h"

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace petrel::storm {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(Scenario, IsFineAsItIs) { EXPECT_TRUE(validate(Scenario{}).ok()); }

TEST(Scenario, AMistakeNamesTheFlagAndTheReason) {
  using Change = std::function<void(Scenario&)>;
  const std::vector<std::pair<Change, std::string>> cases = {
      {[](Scenario& s) { s.messages = 0; }, "events: must be between 1 and 1,000,000"},
      {[](Scenario& s) { s.messages = 1'000'001; }, "events: must be between 1 and 1,000,000"},
      {[](Scenario& s) { s.batch = 0; }, "batch: must be between 1 and 10,000"},
      {[](Scenario& s) { s.batch = 10'001; }, "batch: must be between 1 and 10,000"},
      {[](Scenario& s) { s.receiver.capacity = 0; }, "capacity: must be between 1 and 100,000"},
      {[](Scenario& s) { s.in_flight_max = 0; }, "in-flight: must be between 1 and 1,000"},
      {[](Scenario& s) { s.span = seconds(0); }, "span: must be between 1s and 7d"},
      {[](Scenario& s) { s.span = hours(25); },
       "span: the messages come over 25h, but the run ends after 1d"},
      {[](Scenario& s) { s.outage = seconds(0); }, "outage: must be between 1s and 7d"},
      {[](Scenario& s) { s.outage_at = hours(24); },
       "outage: it ends 1d after the start, and the run after 1d"},
      {[](Scenario& s) { s.outage_at = days(8); }, "outage-at: must be between 0s and 7d"},
      {[](Scenario& s) { s.length = days(8); }, "duration: must be between 1s and 7d"},
      {[](Scenario& s) { s.timeout = hours(1); }, "timeout: must be between 1s and 5m"},
      {[](Scenario& s) { s.receiver.latency = milliseconds(0); },
       "latency: must be between 1ms and 1m"},
      {[](Scenario& s) { s.receiver.latency = seconds(15); },
       "latency: must be less than the timeout of 15s"},
      {[](Scenario& s) { s.receiver.crash_after = milliseconds(999); },
       "crash-after: must be between 1s and 10m"},
      {[](Scenario& s) { s.receiver.crash_for = seconds(0); },
       "crash-for: must be between 1s and 7d"},
  };
  for (const auto& [change, words] : cases) {
    Scenario scenario;
    change(scenario);
    const Status status = validate(scenario);
    ASSERT_FALSE(status.ok()) << words;
    EXPECT_EQ(status.error().text(), words);
  }
}

TEST(Scenario, DescribesItself) {
  Scenario scenario;
  EXPECT_EQ(describe(scenario),
            "10,000 messages over 10m, one by one; from the start the receiver refuses connections "
            "for 10m; then it serves 200/s (50ms each) and falls over for 30s when it is 2s "
            "behind; seed 1");

  scenario.batch = 250;
  scenario.outage_at = minutes(5);
  scenario.outage_kind = OutageKind::Hangs;
  EXPECT_EQ(describe(scenario).substr(0, 80),
            "10,000 messages over 10m, in batches of 250; after 5m the receiver hangs for 10m");
}

}  // namespace
}  // namespace petrel::storm
