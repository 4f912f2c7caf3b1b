// ImportJournal remembers on disk what an import has taken, so that it can be killed at any moment
// and run again: a line for each record, written once the target has it.
//
//   {"from":"https://…","to":"http://…","run":"2gVp…"}
//   {"kind":"endpoint","id":"ep_A","to":"ep_B","notes":["…"]}
//
// It is also the table of which id has become which. It holds no secrets. What a crash between the
// target's answer and the line leaves open, the idempotency keys close: they are made of `run`.
//
// Thread: confined. One process at a time, by a lock on the file.

#pragma once

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace petrel::app {

struct ImportEntry {
  std::string to;        // Its id in the target.
  bool existed = false;  // It was there before the import.
  std::vector<std::string> notes = {};
};

class ImportJournal {
 public:
  struct Place {
    std::string path;
    std::string from;  // The URLs.
    std::string to;
    std::string run;  // Of a new one.
  };

  // Makes the file, or goes on with the one that is there. Invalid if that is another import's;
  // Conflict if another process has it.
  static Result<std::unique_ptr<ImportJournal>> open(const Place& place);

  // What is there, or nothing; never to be written to.
  static Result<std::unique_ptr<ImportJournal>> look(const Place& place);

  ~ImportJournal();
  ImportJournal(const ImportJournal&) = delete;
  ImportJournal& operator=(const ImportJournal&) = delete;

  // Null if it has not been taken.
  const ImportEntry* find(const std::string& kind, const std::string& id) const;

  // Written before it comes back. Unavailable if the disk refuses.
  Status add(const std::string& kind, const std::string& id, ImportEntry entry);

  std::string key_for(const std::string& kind, const std::string& id) const;
  const std::string& path() const { return place_.path; }

  using Entries = std::map<std::pair<std::string, std::string>, ImportEntry>;
  const Entries& entries() const { return entries_; }

 private:
  explicit ImportJournal(Place place) : place_(std::move(place)) {}

  Status read(const std::string& text);
  Status append(const std::string& line);

  Place place_;
  std::string run_;
  int file_ = -1;
  Entries entries_;
};

}  // namespace petrel::app
