#include "store/rocksdb/rocks_error.h"

#include <algorithm>

#include "base/check.h"

namespace petrel::store {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "000042.log" of "… log number: 42 …".
std::string log_of_number(std::string_view said) {
  constexpr std::string_view kNumber = "log number: ";
  const std::size_t at = said.find(kNumber);
  if (at == std::string_view::npos) return {};
  std::string digits;
  for (std::size_t i = at + kNumber.size(); i < said.size() && is_digit(said[i]); ++i) {
    digits += said[i];
  }
  if (digits.size() < 6) digits.insert(0, 6 - digits.size(), '0');
  return digits + ".log";
}

bool is_about_log(const Error& error) { return error.field.ends_with(".log"); }

}  // namespace

std::string without_folders(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    const std::size_t slash = word.rfind('/');
    // A slash at the end belongs to a folder, which has a name of its own.
    const bool is_path = slash != std::string_view::npos && slash + 1 < word.size();
    shown += is_path ? word.substr(slash + 1) : word;
    text.remove_prefix(end);
    if (!text.empty()) shown += ' ', text.remove_prefix(1);
  }
  return shown;
}

std::string named_file(std::string_view said) {
  for (const std::string_view ending : {".sst", ".log", ".blob"}) {
    const std::size_t at = said.find(ending);
    if (at == std::string_view::npos) continue;
    std::size_t begin = at;
    while (begin > 0 && is_digit(said[begin - 1])) --begin;
    if (begin < at) return std::string(said.substr(begin, at + ending.size() - begin));
  }
  if (const std::size_t at = said.find("MANIFEST-"); at != std::string_view::npos) {
    std::size_t end = at + std::string_view("MANIFEST-").size();
    while (end < said.size() && is_digit(said[end])) ++end;
    return std::string(said.substr(at, end - at));
  }
  if (said.find("CURRENT") != std::string_view::npos) return "CURRENT";
  return log_of_number(said);
}

Error to_error(const rocksdb::Status& status) {
  CHECK(!status.ok());  // Ours: callers ask only after a failure.
  const std::string said = without_folders(status.ToString());
  if (status.IsNoSpace()) return unavailable("the store's disk is full: " + said);
  if (status.IsCorruption()) {
    Error error = corrupt("the store is damaged: " + said);
    error.field = named_file(said);
    return error;
  }
  if (status.IsIOError()) return unavailable("the store's disk failed: " + said);
  if (status.IsNotFound()) return not_found("there is no such record");
  return unavailable("the store cannot do this now: " + said);
}

std::string advice_for_lost_log() {
  return "restore a backup, or start once with --accept-data-loss to go on with what is left; "
         "petrel inspect --verify says what is damaged";
}

Error to_open_error(const rocksdb::Status& status, const std::string& path) {
  const std::string said = status.ToString();
  if (status.IsIOError() && said.find("/LOCK") != std::string::npos &&
      said.find("lock") != std::string::npos) {
    return unavailable("another petrel process uses this folder: " + path);
  }
  Error error = to_error(status);
  // A file that another one names is not there: no disk's fault that would pass.
  if (status.IsPathNotFound() || said.find("No such file or directory") != std::string::npos) {
    error.kind = ErrorKind::Corrupt;
    error.field = named_file(said);
  }
  error.detail = "the store in " + path + " does not open: " + error.detail;
  if (is_about_log(error)) {
    error.detail += "; " + advice_for_lost_log();
  } else if (error.kind == ErrorKind::Corrupt) {
    error.detail += "; restore a backup (petrel inspect --verify says what is damaged)";
  }
  return error;
}

}  // namespace petrel::store
