// CommitMark is how many commits were acknowledged, in a small file beside the log.
//
// RocksDB drops an incomplete end of its last log, as it has to after a crash: it cannot tell such
// an end from a log that was cut or deleted later. The mark can. It is written after each synced
// commit and is not synced itself, so it survives the death of the process exactly, and a power cut
// as an older number; it is never ahead of what was synced. A store that has less than its mark has
// lost commits.
//
//   COMMITTED   petrel-commit 1 00000000000000041873 9f0c…   the last is a hash with the store's id
//
// A mark that cannot be read, or belongs to another store, is as good as none. Who only looks at a
// store makes none and writes to none.
//
// Thread: confined to whoever writes the store.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "store/store.h"

namespace petrel::store {

class CommitMark {
 public:
  static constexpr const char* kFileName = "COMMITTED";

  enum class Use : std::uint8_t { Write, Look };

  CommitMark() = default;

  // `store_id` says which store it is of.
  CommitMark(const std::string& folder, std::string store_id, Use use);
  CommitMark(const CommitMark&) = delete;
  CommitMark& operator=(const CommitMark&) = delete;
  CommitMark(CommitMark&& other) noexcept;
  CommitMark& operator=(CommitMark&& other) noexcept;
  ~CommitMark();

  // As the file said when it was opened.
  const std::optional<Sequence>& found() const { return found_; }

  // Why the file could not be opened; empty if it could, or if there is none to look at.
  const std::string& fault() const { return fault_; }

  // If it cannot be written it stays behind, which is harmless.
  void note(Sequence sequence);

 private:
  std::string text_of(Sequence sequence) const;
  std::optional<Sequence> read() const;

  int file_ = -1;
  std::string fault_;
  std::string store_id_;
  std::optional<Sequence> found_;
};

}  // namespace petrel::store
