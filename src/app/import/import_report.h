// ImportReport counts what became of each record of an import, and collects what could not be
// taken.
//
// Thread: confined. A value.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace petrel::app {

class ImportReport {
 public:
  enum class Fate { Made, Before, There, Refused };  // Before: by an earlier run of this import.

  void count(const std::string& kind, Fate fate) { ++counts_[kind][fate]; }
  void note(const std::string& subject, const std::string& what);

  std::int64_t refused(const std::string& kind) const;
  bool has_notes() const { return !notes_.empty(); }

  // For a person. `is_dry`: it says what would be done.
  std::string text(bool is_dry) const;
  std::string json(bool is_dry) const;

 private:
  struct Note {
    std::string subject;
    std::string what;
  };
  static constexpr std::size_t kNotesMax = 100'000;
  static constexpr std::size_t kShownMax = 200;

  std::map<std::string, std::map<Fate, std::int64_t>> counts_;
  std::vector<Note> notes_;
  std::int64_t more_notes_ = 0;
};

}  // namespace petrel::app
