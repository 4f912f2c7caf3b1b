// FolderCopy copies a folder of files so that the copy is there whole and on disk, or not at all.
//
//   DIR.partial   while it is made; removed if it fails
//   DIR           once everything is on disk
//
// Thread: confined.

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "base/result.h"

namespace petrel::app {

class FolderCopy {
 public:
  struct Report {
    std::uint64_t files = 0;
    std::uint64_t bytes = 0;
  };

  // How much of how many bytes has been copied.
  using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

  // A Conflict if `to` is there already.
  static Result<FolderCopy> begin(const std::filesystem::path& to);

  ~FolderCopy();
  FolderCopy(FolderCopy&& other) noexcept;
  FolderCopy& operator=(FolderCopy&&) = delete;
  FolderCopy(const FolderCopy&) = delete;
  FolderCopy& operator=(const FolderCopy&) = delete;

  // All plain files of `from`, but not those in folders below it. Unavailable if the disk has no
  // room for them, which is found out beforehand.
  Status add_folder(const std::filesystem::path& from, const Progress& progress);

  // One more, readable by its owner only. Nothing happens if it is not there.
  Status add_file(const std::filesystem::path& from);

  // The copy is whole: it gets its name.
  Result<Report> finish();

 private:
  explicit FolderCopy(std::filesystem::path to);

  Status copy(const std::filesystem::path& from, const std::function<void(std::uint64_t)>& copied);

  std::filesystem::path to_;
  std::filesystem::path partial_;  // Empty: finished, or moved from.
  Report report_;
};

}  // namespace petrel::app
