// The JSON form of a Message.
//
// A new message is read in place: the whole body is checked to be JSON, but no tree is built of it,
// and the payload stays exactly the bytes that stood in the request.
//
// Thread: confined; a reader keeps its buffers for the next body.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/json_writer.h"
#include "base/result.h"
#include "base/time.h"
#include "model/message.h"

namespace petrel::api {

// How deep a body may be nested.
inline constexpr int kMessageDepthMax = 256;

struct MessageBody {
  std::string event_type;
  std::string event_id;
  std::vector<std::string> channels;
  std::vector<std::string> tags;
  model::Payload payload;
  std::string content_type;  // Empty if the payload is a JSON object.
  std::optional<WallTime> deliver_at;
  std::optional<Duration> payload_retention;
  std::optional<JsonValue> application;  // To be made if the path names none.
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

// A message with its payload as it is shown.
struct ShownMessage {
  model::Message message;
  std::string payload;  // JSON: see payload_text().
};

// `payload` is its JSON. See payload_text().
void write_message(const model::Message& message, std::string_view payload, JsonWriter& json);

// The same without the braces, for what shows a message with more beside it.
void write_message_fields(const model::Message& message, std::string_view payload,
                          JsonWriter& json);

// What is shown of a payload, always an object: itself, {} if it was not asked for,
// {"expired":true} if it is gone, and {"rawPayload":"…"} if it is none. REQUIRES: it is that
// message's.
std::string payload_text(const model::Message& message, const model::Payload& payload,
                         bool with_content);

}  // namespace petrel::api
