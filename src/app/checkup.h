// A checkup looks at everything that a server with these settings would need, without starting one:
// settings, secrets, listener, disk, store, name servers, certificates, clock, open files. It
// changes nothing, and says nothing that is secret.
//
// Thread: any. Takes a few seconds at most.

#pragma once

#include <vector>

#include "app/finding.h"
#include "app/settings.h"
#include "base/clock.h"

namespace petrel::app {

std::vector<Finding> check_up(const Settings& settings, const Clock& clock);

}  // namespace petrel::app
