#include "app/finding.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "app/terminal.h"
#include "base/duration_text.h"
#include "base/json_writer.h"
#include "base/rfc3339.h"

namespace petrel::app {
namespace {

// Each acknowledgement waits for one: beyond this a producer notices.
constexpr Duration kSyncAmple = std::chrono::milliseconds(20);

constexpr double kGibibyte = 1024.0 * 1024 * 1024;
constexpr std::uint64_t kFreeAmple = 1ULL << 30U;
constexpr std::uint64_t kFreeShare = 20;  // A twentieth of the disk.

// The time before which no Petrel was built: a clock that says so was never set.
constexpr WallTime kBuiltAfter = wall_from_unix_seconds(1'767'225'600);  // 2026-01-01.

constexpr std::uint64_t kFilesAmple = 4096;

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::Ok:
      return "ok";
    case Verdict::Warning:
      return "warning";
    case Verdict::Problem:
      break;
  }
  return "problem";
}

Colour colour_of(Verdict verdict) {
  if (verdict == Verdict::Ok) return Colour::Green;
  return verdict == Verdict::Warning ? Colour::Yellow : Colour::Red;
}

}  // namespace

Finding judge_disk(const DiskMeasure& disk) {
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(disk.sync).count();
  Finding finding{.about = "disk",
                  .what = fmt::format("a sync takes {:.1f} ms, {:.1f} GiB are free",
                                      static_cast<double>(micros) / 1000,
                                      static_cast<double>(disk.free_bytes) / kGibibyte),
                  .remedy = {}};
  if (disk.sync > kSyncAmple) {
    finding.verdict = Verdict::Warning;
    finding.remedy = "each acknowledgement waits for a sync: put the store on a faster disk";
  }
  if (disk.free_bytes < std::max(kFreeAmple, disk.total_bytes / kFreeShare)) {
    finding.verdict = Verdict::Warning;
    finding.remedy = "make room, shorten the retention, or put the store on a larger disk";
  }
  return finding;
}

Finding judge_clock(WallTime now, bool is_synchronised) {
  Finding finding{.about = "clock", .what = to_rfc3339(now), .remedy = {}};
  if (now < kBuiltAfter) {
    finding.verdict = Verdict::Problem;
    finding.remedy = "set it: signatures and tokens carry the time, and receivers refuse old ones";
  } else if (!is_synchronised) {
    finding.verdict = Verdict::Warning;
    finding.what += ", and nothing keeps it in step";
    finding.remedy = "run systemd-timesyncd or chrony: receivers refuse signatures of another time";
  }
  return finding;
}

Finding judge_files(std::uint64_t limit) {
  Finding finding{
      .about = "files", .what = fmt::format("{} may be open at once", limit), .remedy = {}};
  if (limit < kFilesAmple) {
    finding.verdict = Verdict::Warning;
    finding.remedy =
        "raise the hard limit (ulimit -Hn, LimitNOFILE= of a unit): connections need it";
  }
  return finding;
}

bool has_problem(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& each) { return each.verdict == Verdict::Problem; });
}

std::string to_table(const std::vector<Finding>& findings, bool shows_colours) {
  std::size_t width = 0;
  for (const Finding& each : findings) width = std::max(width, each.about.size());
  std::string table;
  for (const Finding& each : findings) {
    const std::string verdict = fmt::format("{:<7}", to_string(each.verdict));
    table += fmt::format("{:<{}}  {}  {}\n", each.about, width,
                         coloured(verdict, colour_of(each.verdict), shows_colours), each.what);
    if (!each.remedy.empty()) table += fmt::format("{:<{}}  {}\n", "", width + 9, each.remedy);
  }
  return table;
}

std::string to_json(const std::vector<Finding>& findings) {
  JsonWriter json;
  json.begin_object().field("ok", !has_problem(findings)).key("findings").begin_array();
  for (const Finding& each : findings) {
    json.begin_object().field("about", each.about).field("verdict", to_string(each.verdict));
    json.field("what", each.what).field("remedy", each.remedy).end_object();
  }
  json.end_array().end_object();
  return json.take();
}

}  // namespace petrel::app
