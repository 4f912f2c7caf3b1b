// Bodies of new messages: what is taken is JSON through and through, and its payload is a stretch
// of the body, byte for byte, that is a JSON object by itself.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/json/message.h"
#include "base/check.h"

namespace petrel::api {
namespace {

void check_body(std::string_view text) {
  static MessageReader reader;  // As in the server: its buffers have seen other bodies.
  std::string body(text);
  const Result<MessageBody> message = reader.read(body);
  CHECK(body == text);
  if (!message.ok()) {
    CHECK(message.error().kind == ErrorKind::Invalid);
    CHECK(!message.error().text().empty());
    return;
  }
  CHECK(message->payload != nullptr);
  const std::string& payload = *message->payload;
  CHECK(text.find(payload) != std::string_view::npos);
  CHECK(payload.starts_with('{') && payload.ends_with('}'));

  std::string around = R"({"payload":)" + payload + R"(,"eventType":"a"})";
  const Result<MessageBody> again = reader.read(around);
  CHECK(again.ok());
  CHECK(*again->payload == payload);
}

}  // namespace
}  // namespace petrel::api

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  petrel::api::check_body({reinterpret_cast<const char*>(data), size});
  return 0;
}
