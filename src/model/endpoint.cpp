#include "model/endpoint.h"

#include <algorithm>

namespace petrel::model {
namespace {

bool contains(const std::vector<std::string>& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

}  // namespace

bool wants(const Endpoint& endpoint, const std::string& event_type,
           const std::vector<std::string>& channels) {
  if (!endpoint.event_types.empty() && !contains(endpoint.event_types, event_type)) return false;
  if (endpoint.channels.empty()) return true;
  return std::any_of(channels.begin(), channels.end(), [&](const std::string& channel) {
    return contains(endpoint.channels, channel);
  });
}

}  // namespace petrel::model
