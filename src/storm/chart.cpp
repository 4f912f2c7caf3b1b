#include "storm/chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "base/duration_text.h"
#include "storm/numbers.h"

namespace petrel::storm {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr int kWidth = 960;
constexpr int kLeft = 58;
constexpr int kRight = 196;  // For the numbers beside each panel.
constexpr int kHead = 90;
constexpr int kPanel = 84;
constexpr int kStride = 128;  // From one panel's top to the next.
constexpr int kFoot = 34;
constexpr int kPlotWidth = kWidth - kLeft - kRight;
constexpr std::size_t kColumns = kPlotWidth / 2;
constexpr int kCapacitiesShownMax = 3;
constexpr std::size_t kTicksMax = 8;

constexpr std::string_view kStyle =
    R"(:root{--ink:#1c2430;--soft:#5b6675;--line:#d5dbe3;--page:#ffffff;--alone:#c2410c;)"
    R"(--guarded:#0f6cbd;--away:#eceff3}
@media (prefers-color-scheme:dark){:root{--ink:#e6eaf0;--soft:#9aa6b6;--line:#39424f;)"
    R"(--page:#12161c;--alone:#fb923c;--guarded:#60b3ff;--away:#222a34}}
.chart{font:12px system-ui,sans-serif}
.chart text{fill:var(--ink)}
.chart .soft{fill:var(--soft)}
.chart .name{font-size:13px;font-weight:600}
.chart .title{font-size:15px;font-weight:600}
.chart .page{fill:var(--page)}
.chart .away{fill:var(--away)}
.chart .grid{stroke:var(--line);fill:none}
.chart .limit{stroke:var(--soft);stroke-dasharray:4 4;fill:none}
.chart .alone{stroke:var(--alone);fill:var(--alone);fill-opacity:.25}
.chart .guarded{stroke:var(--guarded);fill:var(--guarded);fill-opacity:.3}
.chart .crash{stroke:var(--alone);stroke-width:1.6;fill:none}
.chart .crash.guarded{stroke:var(--guarded)}
)";

std::string_view class_of(const Run& run) { return run.contender.is_guarded ? "guarded" : "alone"; }

// The runs of one policy after the other.
std::vector<std::span<const Run>> by_policy(const std::vector<Run>& runs) {
  std::vector<std::span<const Run>> groups;
  for (auto first = runs.begin(); first != runs.end();) {
    const auto last = std::find_if(first, runs.end(), [&](const Run& run) {
      return run.contender.name != first->contender.name;
    });
    groups.emplace_back(first, last);
    first = last;
  }
  return groups;
}

Duration tick_step(Duration length) {
  constexpr std::array<Duration, 17> kSteps = {
      seconds(1), seconds(5),  seconds(15), seconds(30), minutes(1), minutes(2),
      minutes(5), minutes(10), minutes(15), minutes(30), hours(1),   hours(2),
      hours(3),   hours(6),    hours(12),   days(1),     days(7)};
  const auto fits = [&](Duration step) {
    return length / step <= static_cast<std::int64_t>(kTicksMax);
  };
  const auto* step = std::find_if(kSteps.begin(), kSteps.end(), fits);
  return step == kSteps.end() ? kSteps.back() : *step;
}

class Drawing {
 public:
  Drawing(const Comparison& comparison, Subject subject)
      : comparison_(comparison),
        subject_(subject),
        window_(window_of(comparison)),
        groups_(by_policy(comparison.runs)),
        highest_(find_highest()),
        top_(choose_top()),
        is_cut_(highest_ > top_) {}

  std::string draw(std::string_view attributes, std::string_view style) {
    const int height = kHead + static_cast<int>(groups_.size()) * kStride + kFoot - 30;
    add(R"(<svg class="chart" role="img" aria-label="{}" viewBox="0 0 {} {}"{}>)", title(), kWidth,
        height, attributes);
    if (!style.empty()) {
      add("<style>\n{}</style>\n", style);
      add(R"(<rect class="page" width="{}" height="{}" rx="8"/>)", kWidth, height);
    }
    draw_head();
    int y = kHead;
    for (const auto& group : groups_) {
      draw_panel(group, y);
      y += kStride;
    }
    draw_time(y - kStride + kPanel + 18);
    svg_ += "</svg>\n";
    return std::move(svg_);
  }

 private:
  template <typename... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(svg_), format, std::forward<Arguments>(arguments)...);
  }

  const std::vector<int>& series(const Run& run) const {
    return subject_ == Subject::Requests ? run.timeline.requests : run.timeline.waiting;
  }

  int find_highest() const {
    int highest = 1;
    for (const Run& run : comparison_.runs) {
      const std::vector<int> all = peaks(series(run), window_, kColumns);
      highest = std::max(highest, *std::max_element(all.begin(), all.end()));
    }
    return highest;
  }

  int choose_top() const {
    if (subject_ == Subject::Waiting) return highest_;
    const int capacity = comparison_.scenario.receiver.capacity;
    return std::clamp(highest_, capacity + capacity / 4, kCapacitiesShownMax * capacity);
  }

  std::string_view title() const {
    return subject_ == Subject::Requests ? "Requests a second at the receiver" : "Messages waiting";
  }

  double x_of(Duration at) const {
    return kLeft + std::clamp(place_in(window_, at), 0.0, 1.0) * kPlotWidth;
  }

  int y_of(int value, int panel) const {
    const double share = static_cast<double>(std::min(value, top_)) / top_;
    return panel + kPanel - static_cast<int>(std::lround(share * kPanel));
  }

  void draw_head() {
    add(R"(<text class="title" x="{}" y="26">{}</text>)", kLeft, title());
    int x = kLeft;
    const auto draw_key = [&](std::string_view name, std::string_view words, int width) {
      add(R"(<rect class="{}" x="{}" y="38" width="12" height="10"/>)", name, x);
      add(R"(<text x="{}" y="47">{}</text>)", x + 18, words);
      x += width;
    };
    draw_key("away", "the receiver is away", 152);
    draw_key("alone", "the policy alone", 130);
    draw_key("guarded", "with Petrel's guards", 152);
    if (subject_ == Subject::Requests) {
      const std::string cut = is_cut_ ? "; cut off at " + with_commas(top_) + "/s" : "";
      add(R"(<text class="soft" x="{}" y="47">× it fell over{}</text>)", x, cut);
    }
    svg_ += "\n";
  }

  void draw_panel(std::span<const Run> group, int y) {
    const Scenario& scenario = comparison_.scenario;
    add(R"(<text class="name" x="{}" y="{}">{}</text>)", kLeft, y - 8,
        escaped(group.front().contender.name));
    const double away_from = x_of(scenario.outage_at);
    add(R"(<rect class="away" x="{:.1f}" y="{}" width="{:.1f}" height="{}"/>)", away_from, y,
        x_of(scenario.recovery()) - away_from, kPanel);
    add(R"(<path class="grid" d="M{} {}h{}"/>)", kLeft, y + kPanel, kPlotWidth);
    draw_scale(y);
    for (const Run& run : group) draw_area(run, y);
    if (subject_ == Subject::Requests) {
      for (const Run& run : group) draw_crashes(run, y);
    }
    draw_numbers(group, y);
    svg_ += "\n";
  }

  void draw_scale(int y) {
    const bool is_requests = subject_ == Subject::Requests;
    const int value = is_requests ? comparison_.scenario.receiver.capacity : top_;
    add(R"(<path class="limit" d="M{} {}h{}"/>)", kLeft, y_of(value, y), kPlotWidth);
    add(R"(<text class="soft" x="{}" y="{}" text-anchor="end">{}{}</text>)", kLeft - 6,
        y_of(value, y) + 4, with_commas(value), is_requests ? "/s" : "");
    add(R"(<text class="soft" x="{}" y="{}" text-anchor="end">0</text>)", kLeft - 6,
        y + kPanel + 4);
  }

  // Steps from column to column, so that a peak of one second is seen.
  void draw_area(const Run& run, int y) {
    const std::vector<int> values = peaks(series(run), window_, kColumns);
    const int ground = y + kPanel;
    add(R"(<path class="{}" d="M{} {})", class_of(run), kLeft, ground);
    int at = ground;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const int next = y_of(values[i], y);
      if (next == at) continue;
      add("H{}V{}", kLeft + 2 * static_cast<int>(i), next);
      at = next;
    }
    add(R"(H{}V{}Z"/>)", kLeft + kPlotWidth, ground);
  }

  void draw_crashes(const Run& run, int y) {
    std::string marks;
    double last = 0;
    for (const Duration crash : run.timeline.crashes) {
      const double x = x_of(crash);
      if (crash > window_.to || x < last + 7) continue;  // Marks would run into each other.
      last = x;
      fmt::format_to(std::back_inserter(marks), "M{:.1f} {}l6 6m0 -6l-6 6", x - 3, y - 4);
    }
    if (!marks.empty()) add(R"(<path class="crash {}" d="{}"/>)", class_of(run), marks);
  }

  void draw_numbers(std::span<const Run> group, int y) {
    const int x = kWidth - kRight + 14;
    int line = y + 8;
    for (const Run& run : group) {
      const Score& score = run.score;
      const std::string drained =
          score.drained_after ? "drained after " + to_words(*score.drained_after) : "not drained";
      const std::string ends = fmt::format(
          "{}, {} dead", counted(score.crashes, "crash", "crashes"), with_commas(score.dead));
      add(R"(<rect class="{}" x="{}" y="{}" width="8" height="8"/>)", class_of(run), x, line - 8);
      add(R"(<text x="{}" y="{}">peak {}/s</text>)", x + 14, line,
          with_commas(score.peak_per_second));
      add(R"(<text x="{}" y="{}">{}</text>)", x + 14, line + 15, ends);
      add(R"(<text class="soft" x="{}" y="{}">{}</text>)", x + 14, line + 30, drained);
      line += 52;
    }
  }

  void draw_time(int y) {
    const Duration recovery = comparison_.scenario.recovery();
    const Duration step = tick_step(window_.length());
    const auto first = (window_.from - recovery) / step;
    for (auto i = first; recovery + i * step <= window_.to; ++i) {
      const Duration at = recovery + i * step;
      if (at < window_.from) continue;
      const std::string label = i == 0  ? std::string("back")
                                : i > 0 ? "+" + to_words(i * step)
                                        : "−" + to_words(-i * step);
      add(R"(<text class="soft" x="{:.1f}" y="{}" text-anchor="middle">{}</text>)", x_of(at), y,
          label);
    }
    svg_ += "\n";
  }

  const Comparison& comparison_;
  Subject subject_;
  Window window_;
  std::vector<std::span<const Run>> groups_;
  int highest_;
  int top_;  // The value at a panel's upper edge.
  bool is_cut_;
  std::string svg_;
};

}  // namespace

std::string chart(const Comparison& comparison, Subject subject) {
  return Drawing(comparison, subject).draw("", "");
}

std::string chart_file(const Comparison& comparison, Subject subject) {
  return Drawing(comparison, subject).draw(R"( xmlns="http://www.w3.org/2000/svg")", kStyle);
}

std::string_view chart_style() { return kStyle; }

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

}  // namespace petrel::storm
