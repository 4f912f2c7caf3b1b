// Making an application in the request that first needs it: the body may carry an `application`
// for the uid that its path names.
//
// Thread: confined to the call's loop.

#pragma once

#include <functional>
#include <optional>

#include "api/http/call.h"
#include "model/application.h"

namespace petrel::api {

// Goes on once the call has its application: the one that the path names, else a new one as
// `described`. Answers itself if there is neither, or if the uid described is missing or is not
// that of the path.
void ensure_application(const CallPtr& call, const std::optional<model::Application>& described,
                        std::function<void()> then);

}  // namespace petrel::api
