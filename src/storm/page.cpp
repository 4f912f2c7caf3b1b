#include "storm/page.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "storm/chart.h"
#include "storm/table.h"

namespace petrel::storm {
namespace {

constexpr std::string_view kStyle = R"(
*{box-sizing:border-box}
body{margin:0 auto;max-width:1040px;padding:32px 24px 64px;background:var(--page);color:var(--ink);
  font:16px/1.55 system-ui,sans-serif}
h1{font-size:28px;line-height:1.2;margin:0 0 8px}
h2{font-size:19px;margin:44px 0 8px}
p{margin:8px 0;max-width:74ch}
.lead{color:var(--soft)}
.verdict{border-left:4px solid var(--guarded);padding:8px 16px;margin:20px 0;background:var(--away)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:14px;font-variant-numeric:tabular-nums;white-space:nowrap}
caption{text-align:left;color:var(--soft);padding:4px 0 8px}
th,td{padding:6px 10px;text-align:right;border-bottom:1px solid var(--line)}
th{font-weight:600}
thead th{color:var(--soft)}
th[scope=row],th:first-child,th:nth-child(2),td.mode{text-align:left}
tr.best td,tr.best th{background:var(--away)}
td.bad{color:var(--alone);font-weight:600}
svg{width:100%;height:auto;display:block;margin:12px 0}
code,pre{font:13px/1.5 ui-monospace,monospace}
pre{background:var(--away);padding:12px 16px;overflow-x:auto;border-radius:6px}
dt{font-weight:600;margin-top:8px}
dd{margin:0;max-width:74ch;color:var(--soft)}
)";

constexpr std::string_view kReading = R"(<h2>How to read it</h2>
<dl>
<dt>guards</dt><dd>On: the policy as an endpoint of Petrel gets it, with circuit breaker, adaptive
limit and ramp. Off: what the policy does by itself, every retry sent the moment it is due.</dd>
<dt>peak/s</dt><dd>The most requests that came within one second once the receiver was back.</dd>
<dt>crashes</dt><dd>How often the receiver fell over because it was asked too much.</dd>
<dt>wasted</dt><dd>Attempts that did not deliver.</dd>
<dt>dead</dt><dd>Messages that were given up: dead letters.</dd>
<dt>drained after</dt><dd>From the end of the outage until every message accepted before it was
delivered or dead.</dd>
<dt>median delay</dt><dd>From acceptance to delivery, of the messages accepted during the
outage.</dd>
<dt>neighbour p99</dt><dd>The same, for 99 of 100 messages of a healthy endpoint that the same
engine serves meanwhile.</dd>
</dl>
<h2>The model</h2>
<p>The engine is the server's own, on a clock that jumps from event to event. The receiver is a
model. Each request is a fixed share of a second's work. Up to one second of work it takes on and
answers 200; beyond that it answers 503 at once. When all that it was asked for, also what it turned
away, is more than it can catch up with in the time stated above, it falls over: what it had taken
on is reset, and until it is up again it refuses connections. The store answers at once and the
network has no delay.</p>
)";

class Page {
 public:
  explicit Page(const Comparison& comparison) : comparison_(comparison) {}

  std::string write(std::string_view command) {
    add("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n"
        "<title>Petrel: retry policies through an outage</title>\n<style>\n{}{}</style>\n</head>\n",
        chart_style(), kStyle);
    add("<body>\n<h1>Retry policies through an outage</h1>\n<p class=\"lead\">{}.</p>\n",
        escaped(describe(comparison_.scenario)));
    add("<p class=\"verdict\">{}</p>\n", escaped(verdict(comparison_)));
    write_table();
    add("<h2>What reached the receiver</h2>\n{}", chart(comparison_, Subject::Requests));
    add("<h2>What was waiting</h2>\n{}", chart(comparison_, Subject::Waiting));
    html_ += kReading;
    add("<h2>The same again</h2>\n<pre>{}</pre>\n</body>\n</html>\n", escaped(command));
    return std::move(html_);
  }

 private:
  template <typename... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(html_), format, std::forward<Arguments>(arguments)...);
  }

  void write_table() {
    html_ +=
        "<div class=\"scroll\"><table>\n<caption>The best rows are shaded: fewest crashes, then "
        "fewest messages not delivered, then soonest drained.</caption>\n"
        "<thead><tr><th scope=\"col\">policy</th><th scope=\"col\">guards</th>";
    for (const std::string_view column : kColumns) add("<th scope=\"col\">{}</th>", column);
    html_ += "</tr></thead>\n<tbody>\n";
    const std::vector<const Run*> best = best_of(comparison_);
    for (const Run& run : comparison_.runs) {
      write_row(run, std::find(best.begin(), best.end(), &run) != best.end());
    }
    html_ += "</tbody>\n</table></div>\n";
  }

  void write_row(const Run& run, bool is_best) {
    add("<tr{}><th scope=\"row\">{}</th><td class=\"mode\">{}</td>",
        is_best ? " class=\"best\"" : "", escaped(run.contender.name),
        run.contender.is_guarded ? "on" : "off");
    const auto cells = cells_of(run.score);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const bool is_bad = (kColumns[i] == "crashes" && run.score.crashes > 0) ||
                          (kColumns[i] == "dead" && run.score.lost() > 0);
      add("<td{}>{}</td>", is_bad ? " class=\"bad\"" : "", escaped(cells[i]));
    }
    html_ += "</tr>\n";
  }

  const Comparison& comparison_;
  std::string html_;
};

}  // namespace

std::string page(const Comparison& comparison, std::string_view command) {
  return Page(comparison).write(command);
}

}  // namespace petrel::storm
