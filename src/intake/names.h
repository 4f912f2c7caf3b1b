// The rules for the names that producers choose: uids, event types, channels and
// tags.
//
// They stand in URLs, keys and headers, so their alphabet is small.
//
// Thread: any.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace petrel::intake {

inline constexpr std::size_t kNameLengthMax = 256;
inline constexpr std::size_t kChannelsMax = 10;
inline constexpr std::size_t kTagsMax = 5;

// Errors have no field: the caller knows what it is called.

// 1 to 256 of A-Z a-z 0-9 - _ . and not beginning with `id_prefix` ("app_"): it would pass for an
// id of ours.
Status check_uid(std::string_view uid, std::string_view id_prefix);

// 1 to 256 of the same characters.
Status check_event_type(std::string_view name);

// Of 1 to kChannelsMax channels, each 1 to 256 of the same characters or : and +. An error about
// one of them has its place as the field: "[2]".
Status check_channels(const std::vector<std::string>& channels);

// Of 1 to kTagsMax tags, by the rules of channels.
Status check_tags(const std::vector<std::string>& tags);

}  // namespace petrel::intake
