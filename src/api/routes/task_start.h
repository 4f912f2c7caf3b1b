// Beginning a task: reading what it is about from a body, counting what it would do, and handing it
// over.
//
// Thread: confined to the call's loop.

#pragma once

#include <optional>

#include "api/http/call.h"
#include "api/json/fields.h"
#include "base/result.h"
#include "model/task.h"

namespace petrel::api {

// A task of the call's application, of this type, that begins now and is about everything up to
// now.
model::Task drafted_task(Call& call, model::TaskType type);

// What `body` says of each; what it does not say stays as it is. Errors name the field below the
// body.
Status read_time_range(const Fields& fields, model::Task& task);
Status read_reasons(const Fields& fields, model::Selection& selection);
Status read_event_types(const Fields& fields, model::Selection& selection);
Status read_pacing(const Fields& fields, model::Pacing& pacing);

// `endpointId`, an id or uid of the call's application.
enum class Endpoints { Existing, DeletedToo };
Status read_endpoint(Call& call, const Fields& fields, model::Selection& selection,
                     Endpoints which = Endpoints::Existing);

// Creates it, once for each idempotency key, and answers 202 with it, or what is given instead.
void start_task(const CallPtr& call, model::Task task,
                const std::optional<net::HttpResponse>& response = {});

// The same; but of a dry run it counts what it would do, and answers 200 with that and how long it
// would take.
void begin_task(const CallPtr& call, model::Task task, bool is_dry);

}  // namespace petrel::api
