// A Finding is what `petrel doctor` says of one thing: that it is well, or what to do about it.
//
//   disk     ok       a sync takes 0.8ms, 40.2 GiB are free
//   clock    warning  nothing keeps it in step: run systemd-timesyncd or chrony
//
// What is measured elsewhere is judged here, by numbers alone.
//
// Thread: any.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"

namespace petrel::app {

enum class Verdict { Ok, Warning, Problem };

struct Finding {
  std::string about;
  Verdict verdict = Verdict::Ok;
  std::string what;
  std::string remedy;  // Empty if all is well.
};

struct DiskMeasure {
  Duration sync{};  // The median of several.
  std::uint64_t free_bytes = 0;
  std::uint64_t total_bytes = 0;
};

Finding judge_disk(const DiskMeasure& disk);

Finding judge_clock(WallTime now, bool is_synchronised);

// `limit`: how many files a process like this may open.
Finding judge_files(std::uint64_t limit);

bool has_problem(const std::vector<Finding>& findings);

// A line for each, and its remedy below it.
std::string to_table(const std::vector<Finding>& findings, bool shows_colours);

std::string to_json(const std::vector<Finding>& findings);

}  // namespace petrel::app
