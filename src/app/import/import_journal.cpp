#include "app/import/import_journal.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <sys/file.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "app/client/json_view.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "base/try.h"

namespace petrel::app {
namespace {

// A line for each of some million records.
constexpr std::size_t kBytesMax = std::size_t{1} << 30U;

// What each begins with, so that no other file is taken for one that a crash has cut.
constexpr std::string_view kBegin = R"({"from":)";

Result<std::string> read_file(int file, const std::string& path) {
  std::string text;
  std::array<char, 65'536> part{};
  while (true) {
    const ssize_t got = ::read(file, part.data(), part.size());
    if (got < 0) return unavailable(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
    if (got == 0) return text;
    text.append(part.data(), static_cast<std::size_t>(got));
    if (text.size() > kBytesMax) return invalid("--journal", path + " is too large to be one");
  }
}

std::string header_of(const ImportJournal::Place& place) {
  JsonWriter json;
  json.begin_object().field("from", place.from).field("to", place.to).field("run", place.run);
  json.end_object();
  return json.take();
}

std::string line_of(const std::string& kind, const std::string& id, const ImportEntry& entry) {
  JsonWriter json;
  json.begin_object().field("kind", kind).field("id", id).field("to", entry.to);
  if (entry.existed) json.field("existed", true);
  if (!entry.notes.empty()) {
    json.key("notes").begin_array();
    for (const std::string& note : entry.notes) json.value(note);
    json.end_array();
  }
  json.end_object();
  return json.take();
}

}  // namespace

Result<std::unique_ptr<ImportJournal>> ImportJournal::open(const Place& place) {
  std::unique_ptr<ImportJournal> journal(new ImportJournal(place));
  journal->file_ = ::open(place.path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (journal->file_ < 0) {
    return invalid("--journal",
                   fmt::format("cannot open {}: {}", place.path, std::strerror(errno)));
  }
  if (::flock(journal->file_, LOCK_EX | LOCK_NB) != 0) {
    return conflict(fmt::format("another import has {}: wait until it has ended", place.path));
  }
  ASSIGN_OR_RETURN(const std::string text, read_file(journal->file_, place.path));
  // A line that was cut by a crash was never relied on.
  const std::size_t whole = text.rfind('\n') + 1;  // 0 if there is none.
  const bool is_ours = text.empty() || text.starts_with(kBegin);
  if (!is_ours) return invalid("--journal", place.path + " is not the journal of an import");
  TRY(journal->read(text.substr(0, whole)));
  if (whole < text.size() && ::ftruncate(journal->file_, static_cast<off_t>(whole)) != 0) {
    return unavailable(fmt::format("cannot write {}: {}", place.path, std::strerror(errno)));
  }
  if (whole == 0) {
    journal->run_ = place.run;
    TRY(journal->append(header_of(place)));
  }
  return journal;
}

Result<std::unique_ptr<ImportJournal>> ImportJournal::look(const Place& place) {
  std::unique_ptr<ImportJournal> journal(new ImportJournal(place));
  journal->run_ = place.run;
  const int file = ::open(place.path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return journal;
  const Result<std::string> text = read_file(file, place.path);
  ::close(file);
  if (!text.ok()) return text.error();
  if (const std::size_t whole = text->rfind('\n') + 1; whole > 0) {
    TRY(journal->read(text->substr(0, whole)));
  }
  return journal;
}

ImportJournal::~ImportJournal() {
  if (file_ >= 0) ::close(file_);
}

Status ImportJournal::read(const std::string& text) {
  std::string_view rest = text;
  bool is_first = true;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() + 1);
    const Result<JsonValue> json = parse_json(line);
    if (!json.ok()) {
      return invalid("--journal", place_.path + " is not the journal of an import");
    }
    if (std::exchange(is_first, false)) {
      run_ = text_at(*json, "run");
      const std::string from = text_at(*json, "from");
      const std::string to = text_at(*json, "to");
      if (from == place_.from && to == place_.to && !run_.empty()) continue;
      return invalid("--journal", fmt::format("{} is of an import from {} to {}: name another one",
                                              place_.path, in_quotes(from), in_quotes(to)));
    }
    ImportEntry entry{.to = text_at(*json, "to"), .existed = flag_at(*json, "existed")};
    for (const JsonValue& note : list_at(*json, "notes")) {
      if (note.as_string() != nullptr) entry.notes.push_back(*note.as_string());
    }
    entries_[{text_at(*json, "kind"), text_at(*json, "id")}] = std::move(entry);
  }
  return Done{};
}

const ImportEntry* ImportJournal::find(const std::string& kind, const std::string& id) const {
  const auto found = entries_.find({kind, id});
  return found == entries_.end() ? nullptr : &found->second;
}

Status ImportJournal::append(const std::string& line) {
  const std::string text = line + "\n";
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t put = ::write(file_, text.data() + done, text.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) {
      return unavailable(fmt::format("cannot write {}: {}", place_.path, std::strerror(errno)));
    }
    done += static_cast<std::size_t>(put);
  }
  return Done{};
}

Status ImportJournal::add(const std::string& kind, const std::string& id, ImportEntry entry) {
  TRY(append(line_of(kind, id, entry)));
  entries_[{kind, id}] = std::move(entry);
  return Done{};
}

std::string ImportJournal::key_for(const std::string& kind, const std::string& id) const {
  return fmt::format("petrel-import-{}-{}-{}", run_, kind, id);
}

}  // namespace petrel::app
