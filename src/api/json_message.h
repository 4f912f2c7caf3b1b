// The JSON form of a Message.
//
// A new message is read in place: the whole body is checked to be JSON, but no tree is built of it,
// and the payload stays exactly the bytes that stood in the request.
//
// Thread: confined; a reader keeps its buffers for the next body.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "base/result.h"
#include "model/message.h"

namespace petrel::api {

// How deep a body may be nested.
inline constexpr int kMessageDepthMax = 256;

struct MessageBody {
  std::string event_type;
  std::string event_id;
  std::vector<std::string> channels;
  model::Payload payload;
};

class MessageReader {
 public:
  MessageReader();
  ~MessageReader();

  // Invalid if it is not JSON from end to end, or lacks a field, or has one of the wrong kind or
  // twice; what the fields hold is for intake to check. Errors name the field below the body. The
  // body's text stays as it is, though it may move.
  Result<MessageBody> read(std::string& body);

 private:
  struct Buffers;
  std::unique_ptr<Buffers> buffers_;
};

// `payload` is its JSON. See payload_text().
void write_message(const model::Message& message, std::string_view payload, JsonWriter& json);

// What is shown of a payload: itself, {} if it was not asked for, {"expired":true} if it is gone.
std::string_view payload_text(const model::Payload& payload, bool with_content);

}  // namespace petrel::api
