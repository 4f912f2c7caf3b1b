// Draft is one change set on its way into a commit: what it would put and remove, before it is
// known whether all of it is possible.
//
// It reads what it has put itself, then what earlier sets of the same commit have, then what is
// stored. A draft that fails is dropped, and nothing of it was ever in the commit.
//
// Thread: confined.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "store/change.h"
#include "store/encoding.h"
#include "store/purge.h"
#include "store/rocksdb/database.h"

namespace petrel::store {

class Draft {
 public:
  // What keys become; without a value they are removed.
  using Entries = std::map<std::pair<Family, std::string>, std::optional<std::string>>;

  // REQUIRES: both outlive it.
  Draft(Database& database, const Entries& before) : database_(database), before_(before) {}

  Status apply(const Change& change);

  const Entries& entries() const { return entries_; }

  // What is kept no longer, by application.
  const std::vector<std::pair<ApplicationId, KeptSizes>>& freed() const { return freed_; }

 private:
  Status enter(const CreateApplication& change);
  Status enter(const UpdateApplication& change);
  Status enter(const DeleteApplication& change);
  Status enter(const CreateEndpoint& change);
  Status enter(const UpdateEndpoint& change);
  Status enter(const DeleteEndpoint& change);
  Status enter(const CreateEventType& change);
  Status enter(const UpdateEventType& change);
  Status enter(const DeleteEventType& change);
  Status enter(const ExpungePayload& change);
  Status enter(const ExpungeResponse& change);
  Status enter(const AddDelivery& change);
  Status enter(const CreateTask& change);
  Status enter(const UpdateTask& change);
  Status enter(const RevokeToken& change);
  Status enter(const KeepLane& change);
  Status enter(const KeepSuspect& change);

  // By id or, for an event type, by a record that has its name. Empty if there is none.
  template <typename T>
  Result<std::optional<T>> find(const auto& id);

  template <typename T>
  Status create(const T& thing);
  template <typename T>
  Status update(const T& thing);
  template <typename T>
  Status put_thing(const T* before, const T& now);
  template <typename T>
  void bury(T thing, WallTime at);
  template <typename T>
  Result<std::optional<T>> find_to_bury(const auto& id, WallTime at);

  Status find_payload(StoredMessage& stored);
  Status check_owner(ApplicationId application);
  Result<std::vector<model::Endpoint>> endpoints_of(ApplicationId application);

  Result<std::optional<std::string>> get(Family family, const std::string& key);
  void put(Family family, std::string key, std::string value);
  void remove(Family family, std::string key);

  Database& database_;
  const Entries& before_;
  Entries entries_;
  std::vector<std::pair<ApplicationId, KeptSizes>> freed_;
};

}  // namespace petrel::store
