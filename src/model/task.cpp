#include "model/task.h"

#include <algorithm>
#include <array>

namespace petrel::model {
namespace {

bool holds(const std::vector<std::string>& texts, const std::string& text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

}  // namespace

std::string_view to_string(TaskType type) {
  constexpr std::array<std::string_view, 7> kNames = {
      "endpoint.recover",          "endpoint.replay",           "endpoint.bulk-replay",
      "application.purge_content", "application.purge_content", "application.stats",
      "event-type.aggregate"};
  return kNames[static_cast<std::size_t>(type)];
}

std::string_view word_for(TaskType type) {
  constexpr std::array<std::string_view, 7> kWords = {
      "replay-dead", "replay-missing",    "replay-all", "discard-dead",
      "expunge",     "application-stats", "event-types"};
  return kWords[static_cast<std::size_t>(type)];
}

std::string_view to_string(TaskState state) {
  constexpr std::array<std::string_view, 5> kNames = {"running", "paused", "finished", "cancelled",
                                                      "failed"};
  return kNames[static_cast<std::size_t>(state)];
}

bool Selection::wants(const Message& message) const {
  if (!event_types.empty() && !holds(event_types, message.event_type)) return false;
  if (!channel.empty() && !holds(message.channels, channel)) return false;
  return tag.empty() || holds(message.tags, tag);
}

}  // namespace petrel::model
