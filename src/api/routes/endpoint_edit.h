// A change to an endpoint that is there, as the plan of a call.
//
// Thread: confined to the call's loop.

#pragma once

#include <functional>

#include "api/http/call.h"
#include "api/http/change_call.h"
#include "base/result.h"
#include "model/endpoint.h"

namespace petrel::api {

// Edits the endpoint as it is once its turn has come, and answers with what `answer` makes of it.
// An error of `edit` is the answer, and nothing is changed. Both run on any thread.
Plan endpoint_edit(Call& call, EndpointId id, std::function<Status(model::Endpoint&)> edit,
                   std::function<net::HttpResponse(const model::Endpoint&)> answer);

}  // namespace petrel::api
