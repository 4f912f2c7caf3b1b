// SharedRates are the rates that applications set for all their endpoints together, one for each
// application that has or had one.
//
// There is never a second one for the same application: two lanes that kept to one each would send
// twice as fast together. So a rate that is taken away stays here until its application is deleted.
//
// Thread: safe.

#pragma once

#include <map>
#include <memory>

#include "base/guarded.h"
#include "base/time.h"
#include "lane/shared_rate.h"
#include "model/application.h"

namespace petrel::node {

class SharedRates {
 public:
  // Null if the application has none. Made if there is none yet, and else as changed() left it.
  std::shared_ptr<lane::SharedRate> of(const model::Application& application);

  // The application is now like this.
  void changed(const model::Application& application, MonoTime now);

 private:
  Guarded<std::map<ApplicationId, std::shared_ptr<lane::SharedRate>>> rates_;
};

}  // namespace petrel::node
