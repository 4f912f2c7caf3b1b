#include "metric/registry.h"

#include <gtest/gtest.h>

#include "metric/metrics.h"

namespace petrel::metric {
namespace {

TEST(Registry, ShowsEveryMetricWithItsHelpAndType) {
  Registry registry;
  registry.counter("a_total", "Counts a.").add(3);
  registry.gauge("b", "The size of b.").set(-1);

  EXPECT_EQ(registry.text(),
            "# HELP a_total Counts a.\n# TYPE a_total counter\na_total 3\n"
            "# HELP b The size of b.\n# TYPE b gauge\nb -1\n");
}

TEST(Registry, EscapesLabelValues) {
  Registry registry;
  registry.counters("a_total", "Counts.", {"x", "y"}).with({"q\"\\\n", "2"}).add();

  EXPECT_EQ(registry.text(),
            "# HELP a_total Counts.\n# TYPE a_total counter\n"
            "a_total{x=\"q\\\"\\\\\\n\",y=\"2\"} 1\n");
}

TEST(Family, GivesTheSameMemberForTheSameValues) {
  CounterFamily family({"x"});
  EXPECT_EQ(&family.with({"1"}), &family.with({"1"}));
  EXPECT_NE(&family.with({"1"}), &family.with({"2"}));
}

TEST(Family, CountsTogetherWhatIsBeyondItsBound) {
  CounterFamily family({"x"});
  for (std::size_t i = 0; i < kMembersMax; ++i) family.with({std::to_string(i)});

  Counter& other = family.with({"one more"});
  EXPECT_EQ(&other, &family.with({"and another"}));
  EXPECT_NE(&other, &family.with({"7"}));
  std::size_t members = 0;
  family.each([&](const LabelValues&, const Counter&) { ++members; });
  EXPECT_EQ(members, kMembersMax + 1);
}

TEST(Metrics, ShowAllTheirNamesFromTheStart) {
  Metrics metrics("1.2.3");
  metrics.messages_accepted().add(2);
  metrics.attempts(AttemptLabel::Dns).add();

  const std::string text = metrics.registry().text();
  EXPECT_NE(text.find("\npetrel_messages_accepted_total 2\n"), std::string::npos);
  EXPECT_NE(text.find("\npetrel_deliveries_total{result=\"dead\"} 0\n"), std::string::npos);
  EXPECT_NE(text.find("\npetrel_attempts_total{outcome=\"dns\"} 1\n"), std::string::npos);
  EXPECT_NE(text.find("\npetrel_attempts_total{outcome=\"our_fault\"} 0\n"), std::string::npos);
  EXPECT_NE(text.find("\npetrel_build_info{version=\"1.2.3\"} 1\n"), std::string::npos);
}

}  // namespace
}  // namespace petrel::metric
