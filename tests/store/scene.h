// Scene is a small store with one of everything in it, the same every time, so that what a verb
// makes of it can be compared with what it makes of it elsewhere.
//
//   scene.fill(store);                      everything is there, partly in tables, partly in the
//   log const Readings before = read(store);    all that the store can be asked
//   scene.verbs()[3].act(store);            one of the verbs that write
//
// Thread: confined.

#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness.h"

namespace petrel::store {

// One thing that a store is asked to do. It means the same however often the scene is made.
struct Verb {
  std::string name;
  std::function<Status(RocksStore& store)> act;
};

// Each question and its answer, as bytes.
using Readings = std::map<std::string, Result<std::string>>;

class Scene {
 public:
  Scene();

  // REQUIRES: the store is empty, and its disk is well.
  void fill(RocksStore& store) const;

  // Writes what is there already.
  Status touch(RocksStore& store) const;

  // Every verb that writes, with a change set for each kind of change.
  std::vector<Verb> verbs() const;

  // Everything that can be asked about the scene.
  Readings read(RocksStore& store) const;

 private:
  std::vector<Change> changes() const;
  void read_catalogue(RocksStore& store, Readings& readings) const;
  void read_messages(RocksStore& store, Readings& readings) const;
  void read_queues(RocksStore& store, Readings& readings) const;

  Maker make_{7};
  model::Application application_;
  std::vector<model::Endpoint> endpoints_;
  model::EventType event_type_;
  model::Task task_;
  std::vector<Acceptance> acceptances_;
  std::vector<model::Settlement> settlements_;  // Delivered, dead, retrying; the last stays fresh.

  // What the verbs bring.
  model::Application new_application_;
  model::Endpoint new_endpoint_;
  model::EventType new_event_type_;
  model::Task new_task_;
  Acceptance new_acceptance_;
  model::Settlement new_settlement_;
};

}  // namespace petrel::store
