// Tally counts how the attempts of one delivery ended, one number per way. It is stored with the
// delivery, so that a limit such as "three DNS failures" holds across restarts and changes of
// policy. Most deliveries have one way or none.
//
// Thread: any. A value.

#pragma once

#include <cstdint>
#include <vector>

#include "policy/outcome.h"
#include "policy/rule.h"

namespace petrel::policy {

class Tally {
 public:
  struct Entry {
    std::uint16_t code;
    std::uint16_t count;

    friend bool operator==(const Entry&, const Entry&) = default;
  };

  Tally() = default;
  explicit Tally(std::vector<Entry> entries) : entries_(std::move(entries)) {}

  void add(const Outcome& outcome);

  // How many attempts ended in a way that the selector looks for.
  int count(const Selector& selector) const;

  const std::vector<Entry>& entries() const { return entries_; }

  friend bool operator==(const Tally&, const Tally&) = default;

 private:
  std::vector<Entry> entries_;
};

}  // namespace petrel::policy
