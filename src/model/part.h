// A part is one of 256 shares of all endpoints, by the authority (scheme, host, port) that they are
// sent to: endpoints of one authority are in one part, so one shard counts their requests together.
//
// The function is written out, not the standard library's: machines that share a store must agree
// on it.
//
// Thread: any.

#pragma once

#include <cstdint>
#include <string_view>

namespace petrel::model {

using Part = std::uint8_t;

// Of the endpoint's URL. What is no URL, which an old record may hold, has a part all the same.
Part part_of(std::string_view url);

}  // namespace petrel::model
