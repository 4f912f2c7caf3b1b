// MessageExtras reads what few messages carry beside their type and payload: tags, a schedule, a
// retention, another body, an application to be made.
//
// Thread: any. A value.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "model/message.h"

namespace petrel::api {

struct MessageBody;

class MessageExtras {
 public:
  static bool knows(std::string_view name);

  // Errors name what is wrong below the field. REQUIRES: knows(name), and the value is not null.
  Status take(std::string_view name, JsonValue value);

  void put_into(MessageBody& body);

 private:
  Status take_retention(const JsonValue& value, int units_max, Duration unit);
  Status take_transformation(const JsonValue& value);

  std::optional<std::vector<std::string>> tags_;
  std::optional<WallTime> deliver_at_;
  std::optional<Duration> payload_retention_;
  std::optional<JsonValue> application_;
  std::optional<std::string> raw_payload_;
  std::optional<std::string> content_type_;
  bool has_transformation_ = false;
};

}  // namespace petrel::api
