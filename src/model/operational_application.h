// The operational application of an organisation is the one whose endpoints get what the server
// itself has to tell the organisation.
//
// It has no record, so it is not listed, found by a name or deleted, and has no tokens. What
// belongs to it has its id, which no customer's application can have.
//
// Thread: any.

#pragma once

#include "base/id.h"

namespace petrel::model {

inline ApplicationId operational_application(OrganisationId organisation) {
  return ApplicationId(organisation.ksuid());
}

}  // namespace petrel::model
