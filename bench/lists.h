// What lists cost when there is much to list: the same calls on a store with a long history and on
// one with a short one, in turn, each over a connection that stays open.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "petrel_process.h"

namespace petrel::bench {

// Attempts. Enough for full pages of nearly all lists, and for as many rows as one request looks
// at.
inline constexpr int kShortHistory = 20'000;

struct ListsSettings {
  std::string binary;
  std::string folder;                     // Scratch.
  std::int64_t attempts = kShortHistory;  // Of the long history.
  std::size_t payload_bytes = 1024;
};

// Of one call.
struct ListFigures {
  double p50_ms = 0;
  double p99_ms = 0;
  double small_p50_ms = 0;  // With the short history.
  double small_p99_ms = 0;
  double items = 0;  // On a page.
  double calls = 0;  // That were made of it: fewer if they take long.
};

class Lists {
 public:
  // Writes both histories; this is what takes long.
  explicit Lists(const ListsSettings& settings);

  // Of the calls, in the order of their numbers.
  const std::vector<std::string>& names() const { return names_; }

  ListFigures measure(std::size_t call);

  double filled_per_s() const { return filled_per_s_; }

 private:
  struct Place {
    std::unique_ptr<PetrelProcess> server;
    std::vector<std::string> paths;  // One for each name.
  };

  Place set_up(const ListsSettings& settings, const std::string& name, std::int64_t attempts);

  std::vector<std::string> names_;
  double filled_per_s_ = 0;  // Attempts, of the history that was written last.
  Place small_;
  Place large_;
};

}  // namespace petrel::bench
