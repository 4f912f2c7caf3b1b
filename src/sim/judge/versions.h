// Versions is what may hold for one thing of the catalogue: usually one JSON object, several while
// a change is under way or nobody was told what became of it.
//
//   asked to PATCH   →  the old one and the new one both may hold
//   told 2xx         →  the new one holds
//   told 4xx         →  the old one holds
//   told 5xx, death  →  both may hold, until somebody sees what became of it
//
// Of changes that are under way together every order may hold.
//
// Thread: confined.

#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "base/json.h"

namespace petrel::sim::judge {

class Versions {
 public:
  struct Version {
    JsonValue json;
    std::set<std::uint64_t>
        applied;  // Of the changes that nobody knows of yet, those that are in it.
  };

  // Begins with an empty object.
  Versions() : possible_{{JsonValue(JsonValue::Value(JsonValue::Object{})), {}}} {}

  void asked(std::uint64_t number, const JsonValue& change);
  void happened(std::uint64_t number);
  void did_not_happen(std::uint64_t number);

  // Never empty.
  const std::vector<Version>& possible() const { return possible_; }

 private:
  struct Change {
    std::uint64_t number;
    JsonValue json;
  };

  void combine();
  void forget(std::uint64_t number);

  std::vector<Version> possible_;
  std::vector<Change> open_;  // Of which nobody knows yet.
};

}  // namespace petrel::sim::judge
