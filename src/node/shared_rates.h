// SharedRates are the rates that applications set for all their endpoints together, one for each
// application that has one.
//
// Thread: safe.

#pragma once

#include <map>
#include <memory>

#include "base/guarded.h"
#include "lane/shared_rate.h"
#include "model/application.h"

namespace petrel::node {

class SharedRates {
 public:
  // As the application has it now. Null if it has none.
  std::shared_ptr<lane::SharedRate> of(const model::Application& application);

 private:
  Guarded<std::map<ApplicationId, std::shared_ptr<lane::SharedRate>>> rates_;
};

}  // namespace petrel::node
