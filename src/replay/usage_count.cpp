#include "replay/usage_count.h"

#include <algorithm>

#include "base/json_writer.h"
#include "replay/walk.h"

namespace petrel::replay {

Status UsageCount::go_on(store::Browse& browse) {
  if (!is_within_) {
    counts_.push_back(0);
    after_ = selection_.since == WallTime::min() ? Ksuid() : Ksuid::first_at(selection_.since);
  }
  const ApplicationId application = selection_.applications[counts_.size() - 1];
  const auto messages = browse.messages(application, {.after = after_, .limit = kLookMax});
  if (!messages.ok()) return messages.error();
  is_within_ = messages->has_more;
  for (const model::Message& message : messages->items) {
    if (message.id.time() >= selection_.until) {
      is_within_ = false;
      break;
    }
    counts_.back() += message.endpoints.size();
    after_ = message.id.ksuid();
  }
  return Done{};
}

std::string UsageCount::json() const {
  JsonWriter json;
  json.begin_object().key("appStats").begin_array();
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    json.begin_object().field("appId", selection_.applications[i].text());
    json.field("messageDestinations", static_cast<std::int64_t>(counts_[i])).end_object();
  }
  json.end_array().end_object();
  return json.take();
}

}  // namespace petrel::replay
