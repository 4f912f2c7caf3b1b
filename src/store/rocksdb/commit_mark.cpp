#include "store/rocksdb/commit_mark.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace petrel::store {
namespace {

constexpr std::string_view kForm = "petrel-commit 1 ";
constexpr std::size_t kDigits = 20;
constexpr std::size_t kBytes = kForm.size() + kDigits + 1 + 16 + 1;

// FNV-1a: it has to notice accidents, not malice.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : text) hash = (hash ^ static_cast<std::uint8_t>(c)) * 1099511628211U;
  return hash;
}

}  // namespace

CommitMark::CommitMark(const std::string& folder, std::string store_id, Use use)
    : store_id_(std::move(store_id)) {
  const int way = use == Use::Look ? O_RDONLY : O_RDWR | O_CREAT;
  file_ = ::open((folder + '/' + kFileName).c_str(), way | O_CLOEXEC | O_NOFOLLOW, 0600);
  const bool is_missing = file_ < 0 && errno == ENOENT;
  if (file_ < 0 && !is_missing) fault_ = std::strerror(errno);
  found_ = read();
}

CommitMark::CommitMark(CommitMark&& other) noexcept
    : file_(std::exchange(other.file_, -1)),
      fault_(std::move(other.fault_)),
      store_id_(std::move(other.store_id_)),
      found_(other.found_) {}

CommitMark& CommitMark::operator=(CommitMark&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(fault_, other.fault_);
  std::swap(store_id_, other.store_id_);
  std::swap(found_, other.found_);
  return *this;
}

CommitMark::~CommitMark() {
  if (file_ >= 0) ::close(file_);
}

std::string CommitMark::text_of(Sequence sequence) const {
  std::array<char, kBytes + 1> text{};
  std::snprintf(text.data(), text.size(), "%s%020llu", kForm.data(),
                static_cast<unsigned long long>(sequence));
  const std::uint64_t hash = hash_of(store_id_ + text.data());
  std::snprintf(text.data() + kForm.size() + kDigits, text.size() - kForm.size() - kDigits,
                " %016llx\n", static_cast<unsigned long long>(hash));
  return text.data();
}

std::optional<Sequence> CommitMark::read() const {
  if (file_ < 0) return std::nullopt;
  std::string text(kBytes, '\0');
  if (::pread(file_, text.data(), text.size(), 0) != static_cast<ssize_t>(kBytes)) {
    return std::nullopt;
  }
  Sequence sequence = 0;
  const char* digits = text.data() + kForm.size();
  if (std::from_chars(digits, digits + kDigits, sequence).ptr != digits + kDigits) {
    return std::nullopt;
  }
  if (text != text_of(sequence)) return std::nullopt;
  return sequence;
}

void CommitMark::note(Sequence sequence) {
  if (file_ < 0) return;
  const std::string text = text_of(sequence);
  [[maybe_unused]] const ssize_t written = ::pwrite(file_, text.data(), text.size(), 0);
}

}  // namespace petrel::store
