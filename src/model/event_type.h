// EventType is a kind of message that an organisation has described: its name, what it means, and
// what its payloads look like.
//
// Messages may be of types that were never described.
//
// Thread: any. A value.

#pragma once

#include <string>
#include <vector>

#include "base/id.h"
#include "base/time.h"

namespace petrel::model {

struct EventType {
  OrganisationId organisation;
  std::string name;  // Unique in the organisation: "invoice.paid".
  std::string description;
  bool is_archived = false;
  bool is_deprecated = false;
  std::string schemas;  // JSON, as it was given: the version to its schema. Empty if there is none.
  std::vector<std::string> feature_flags;
  std::string group_name;
  bool is_enforced = false;  // Payloads that do not fit the schema are refused.
  WallTime created_at;
  WallTime updated_at;

  friend bool operator==(const EventType&, const EventType&) = default;
};

}  // namespace petrel::model
