// The JSON form of an Attempt. An attempt that got no answer has the status code 0 and says in
// `response` what went wrong.
//
// Thread: any.

#pragma once

#include <string>
#include <string_view>

#include "api/json/message.h"
#include "base/json_writer.h"
#include "model/attempt.h"

namespace petrel::api {

// `message` goes along as `msg` unless it is null.
void write_attempt(const model::Attempt& attempt, bool with_content, const ShownMessage* message,
                   JsonWriter& json);

// A body as it is shown: itself if it is text, its base64 if it is not. A character that was cut in
// two at the end of what is kept is dropped.
std::string shown_body(std::string_view body);

}  // namespace petrel::api
