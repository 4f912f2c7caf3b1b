#include "app/import/import_report.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/client/text_table.h"
#include "base/json_writer.h"

namespace petrel::app {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kKinds = {
    {{"eventType", "event types"}, {"application", "applications"}, {"endpoint", "endpoints"}}};

}  // namespace

void ImportReport::note(const std::string& subject, const std::string& what) {
  if (notes_.size() < kNotesMax) {
    notes_.push_back({subject, what});
  } else {
    ++more_notes_;
  }
}

std::int64_t ImportReport::refused(const std::string& kind) const {
  const auto found = counts_.find(kind);
  if (found == counts_.end()) return 0;
  const auto count = found->second.find(Fate::Refused);
  return count == found->second.end() ? 0 : count->second;
}

std::string ImportReport::text(bool is_dry) const {
  TextTable table(
      {"", is_dry ? "to make>" : "made>", "made before>", "there already>", "refused>"});
  for (const auto& [kind, word] : kKinds) {
    const auto found = counts_.find(std::string(kind));
    const auto number = [&](Fate fate) {
      if (found == counts_.end()) return std::string("0");
      const auto count = found->second.find(fate);
      return grouped(count == found->second.end() ? 0 : count->second);
    };
    table.add({std::string(word), number(Fate::Made), number(Fate::Before), number(Fate::There),
               number(Fate::Refused)});
  }
  std::string text = table.text(false);
  if (notes_.empty()) return text;
  text += "\nNot taken:\n";
  for (std::size_t i = 0; i < std::min(notes_.size(), kShownMax); ++i) {
    text += fmt::format("  {}: {}\n", notes_[i].subject, notes_[i].what);
  }
  const auto shown = static_cast<std::int64_t>(std::min(notes_.size(), kShownMax));
  const std::int64_t all = static_cast<std::int64_t>(notes_.size()) + more_notes_;
  if (all > shown) text += fmt::format("  and {} more: --json has them\n", grouped(all - shown));
  return text;
}

std::string ImportReport::json(bool is_dry) const {
  JsonWriter json;
  json.begin_object().field("dryRun", is_dry);
  for (const auto& [kind, word] : kKinds) {
    const auto found = counts_.find(std::string(kind));
    const auto number = [&](Fate fate) {
      if (found == counts_.end()) return std::int64_t{0};
      const auto count = found->second.find(fate);
      return count == found->second.end() ? std::int64_t{0} : count->second;
    };
    json.key(std::string(kind) + "s").begin_object();
    json.field("made", number(Fate::Made)).field("madeBefore", number(Fate::Before));
    json.field("thereAlready", number(Fate::There)).field("refused", number(Fate::Refused));
    json.end_object();
  }
  json.key("notTaken").begin_array();
  for (const Note& note : notes_) {
    json.begin_object().field("subject", note.subject).field("what", note.what).end_object();
  }
  json.end_array().field("notTakenBeyond", more_notes_).end_object();
  return json.take();
}

}  // namespace petrel::app
