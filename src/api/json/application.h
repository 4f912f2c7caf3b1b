// The JSON form of an Application.
//
// Thread: any.

#pragma once

#include "base/json.h"
#include "base/json_writer.h"
#include "base/result.h"
#include "model/application.h"

namespace petrel::api {

// What the body says goes into `application`; what it does not mention stays. Errors name the field
// below the body. POST and PUT start from an empty application, PATCH from the one that is there.
Status read_application(const JsonValue& body, model::Application& application);

void write_application(const model::Application& application, JsonWriter& json);

}  // namespace petrel::api
