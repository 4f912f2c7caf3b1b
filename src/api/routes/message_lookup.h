// What several routes ask the store about messages: finding one by id or by the producer's own id,
// and filtering lists by what messages say.
//
// Thread: any that may wait for the disk.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/http/query.h"
#include "base/id.h"
#include "base/result.h"
#include "model/message.h"
#include "store/browse.h"

namespace petrel::api {

// By id or by event id, within the application: NotFound for another's.
Result<model::Message> find_message(store::Browse& browse, ApplicationId application,
                                    std::string_view id_or_event_id);

// What is shown of its payload, as JSON. It is not read unless `with_content`.
Result<std::string> shown_payload(store::Browse& browse, const model::Message& message,
                                  bool with_content);

struct MessageFilter {
  std::vector<std::string> event_types;  // Empty: any.
  std::string channel;                   // Empty: any.
  std::string tag;                       // Empty: any.
  std::optional<WallTime> before;
  std::optional<WallTime> after;

  bool looks_inside() const { return !event_types.empty() || !channel.empty() || !tag.empty(); }
  bool matches(const model::Message& message) const;
};

// By `event_types`, `channel`, `tag`, `before` and `after`.
Result<MessageFilter> read_message_filter(const Query& query);

// Ids are ordered by time, so a limit in time is a place to begin: the page, moved there if it
// would begin before it.
store::Page begun_at_filter(store::Page page, const MessageFilter& filter);

// Whether the limit at the other end is passed: nothing further in this order can fit.
bool is_past(const MessageFilter& filter, store::Order order, MessageId message);

}  // namespace petrel::api
