#include "api/json/attempt.h"

#include <cstdint>
#include <span>

#include "base/base64.h"
#include "base/rfc3339.h"

namespace petrel::api {
namespace {

constexpr std::size_t kCharacterBytesMax = 4;

// How many bytes the character at the beginning has. 0 if it is not UTF-8.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return 1;
  const std::size_t size = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return 0;
  }
  const bool is_too_long =
      (byte(0) == 0xe0 && byte(1) < 0xa0) || (byte(0) == 0xf0 && byte(1) < 0x90);
  const bool is_beyond = (byte(0) == 0xed && byte(1) > 0x9f) || (byte(0) == 0xf4 && byte(1) > 0x8f);
  return is_too_long || is_beyond ? 0 : size;
}

std::size_t text_bytes(std::string_view body) {
  std::size_t end = 0;
  while (end < body.size()) {
    const std::size_t size = character_bytes(body.substr(end));
    if (size == 0) break;
    end += size;
  }
  return end;
}

bool is_success(const policy::Outcome& outcome) {
  return outcome.is_answer() && outcome.status() / 100 == 2;
}

}  // namespace

std::string shown_body(std::string_view body) {
  const std::size_t end = text_bytes(body);
  const bool is_cut =
      body.size() >= model::kResponseKeptBytes && body.size() - end < kCharacterBytesMax;
  if (end == body.size() || is_cut) return std::string(body.substr(0, end));
  return to_base64({reinterpret_cast<const std::uint8_t*>(body.data()), body.size()});
}

void write_attempt(const model::Attempt& attempt, bool with_content, const ShownMessage* message,
                   JsonWriter& json) {
  const bool succeeded = is_success(attempt.outcome);
  json.begin_object();
  json.field("id", attempt.id.text());
  json.field("msgId", attempt.delivery.message.text());
  json.field("endpointId", attempt.delivery.endpoint.text());
  json.field("url", attempt.url);
  json.key("response");
  if (!with_content) {
    json.value("{}");
  } else if (attempt.outcome.is_answer()) {
    json.value(shown_body(attempt.response));
  } else {
    json.value(attempt.error.empty() ? attempt.outcome.text() : attempt.error);
  }
  json.field("responseStatusCode", attempt.outcome.is_answer() ? attempt.outcome.status() : 0);
  json.field("responseDurationMs", whole_milliseconds(attempt.timings.total));
  json.field("status", succeeded ? 0 : 2);
  json.field("statusText", succeeded ? "success" : "fail");
  json.field("triggerType", attempt.trigger == model::Trigger::Manual ? 1 : 0);
  json.field("timestamp", to_rfc3339(attempt.started_at));
  if (message != nullptr) {
    json.key("msg");
    write_message(message->message, message->payload, json);
  }
  json.end_object();
}

}  // namespace petrel::api
