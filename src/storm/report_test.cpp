// What people see of a comparison: the table, the plot, the pictures and the page.

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "policy/presets.h"
#include "storm/chart.h"
#include "storm/page.h"
#include "storm/table.h"

namespace petrel::storm {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A hundred seconds, of which the first fifty are the outage; one policy, alone and guarded.
Comparison small_comparison(const std::string& name = "svix") {
  Comparison comparison;
  comparison.scenario.outage = comparison.scenario.span = seconds(50);
  comparison.scenario.receiver.capacity = 8;

  Run alone{
      .contender = {.name = name, .policy = *policy::find_preset("svix"), .is_guarded = false},
      .score = {},
      .timeline = {}};
  alone.score.dead = 1'234;
  alone.score.peak_per_second = 9;
  alone.score.crashes = 1;
  alone.score.drained_after = seconds(45);
  alone.timeline.requests.assign(100, 0);
  alone.timeline.requests[51] = 8;
  alone.timeline.requests[53] = 9;
  alone.timeline.requests[55] = 1;
  alone.timeline.crashes = {seconds(57)};
  alone.timeline.waiting.assign(100, 3);

  Run guarded = alone;
  guarded.contender.is_guarded = true;
  guarded.score.crashes = guarded.score.dead = 0;
  guarded.score.unfinished = 7;
  guarded.score.drained_after.reset();
  guarded.score.neighbour_p99 = milliseconds(50);
  guarded.timeline.crashes.clear();
  comparison.runs = {alone, guarded};
  return comparison;
}

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t times = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
  return times;
}

TEST(Table, HasARowForEachRunAndThePolicyOnce) {
  EXPECT_EQ(score_table(small_comparison()),
            "policy  guards  peak/s  crashes  wasted         dead  drained after  median delay  "
            "neighbour p99\n"
            "svix    off          9        1       0        1,234            45s             –  "
            "            –\n"
            "        on           9        0       0  0 (+7 open)              –             –  "
            "         50ms\n");
}

TEST(Plot, ShowsCapacityMoreThanItAndWhereItFellOver) {
  EXPECT_EQ(request_plot(small_comparison()),
            "requests a second at the receiver: █ its capacity of 8/s, ▲ more, ✗ it fell over\n"
            "policy  guards  ░░░░░░░░░░░░ away ░░░░░░░░░░░░\n"
            "svix    off                                    █▲▁✗\n"
            "        on                                     █▲▁▁\n"
            "                each column is 1.6s, 1m 45s in all\n");
}

TEST(Chart, StandsByItself) {
  const std::string svg = chart_file(small_comparison(), Subject::Requests);

  EXPECT_EQ(svg.find("<svg "), 0U);
  EXPECT_EQ(count(svg, "http"), 1U);
  EXPECT_NE(svg.find(R"(xmlns="http://www.w3.org/2000/svg")"), std::string::npos);
  EXPECT_EQ(count(svg, "url("), 0U);
  EXPECT_EQ(count(svg, "<script"), 0U);
  EXPECT_EQ(count(svg, "prefers-color-scheme:dark"), 1U);
  EXPECT_EQ(count(svg, R"(<path class="crash alone")"), 1U);
  EXPECT_EQ(count(svg, R"(<path class="alone")"), 1U);
  EXPECT_EQ(count(svg, R"(<path class="guarded")"), 1U);
}

TEST(Chart, SaysWhenAPeakIsCutOff) {
  Comparison comparison = small_comparison();
  EXPECT_EQ(count(chart_file(comparison, Subject::Requests), "cut off"), 0U);

  comparison.runs[0].timeline.requests[60] = 999;
  EXPECT_EQ(count(chart_file(comparison, Subject::Requests), "cut off at 24/s"), 1U);
}

TEST(Page, AsksNothingOfTheNetworkAndRunsNoScript) {
  const std::string html = page(small_comparison(), "petrel simulate");

  for (const std::string_view outside : {"http", "src=", "url(", "@import", "<link", "<script"}) {
    EXPECT_EQ(count(html, outside), 0U) << outside;
  }
  EXPECT_EQ(count(html, "<svg "), 2U);
  EXPECT_EQ(count(html, "prefers-color-scheme:dark"), 1U);
  EXPECT_EQ(count(html, R"(<td class="bad">)"), 3U);
  EXPECT_EQ(count(html, R"(<tr class="best">)"), 1U);
}

TEST(Page, WhatAPersonTypedIsTextInIt) {
  const std::string html = page(small_comparison(R"(@<b>"x"&'.json)"), "petrel '<i>'");

  EXPECT_EQ(count(html, "<b>"), 0U);
  EXPECT_EQ(count(html, "<i>"), 0U);
  EXPECT_GE(count(html, "@&lt;b&gt;&quot;x&quot;&amp;&#39;.json"), 4U);
  EXPECT_EQ(count(html, "petrel &#39;&lt;i&gt;&#39;"), 1U);
}

}  // namespace
}  // namespace petrel::storm
