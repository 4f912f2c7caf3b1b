// What c-ares says about a name, as a Resolution.
//
// Internal to the net room.
//
// Thread: any.

#pragma once

#include <cstddef>

#include "base/time.h"
#include "net/name_cache.h"

struct ares_addrinfo;

namespace petrel::net {

struct AresAnswer {
  Resolution resolution;
  Duration ttl;  // Of the address that lives shortest.
};

// `status` is an ARES_ code; `found` may be null. Takes at most `addresses_max` of the addresses.
AresAnswer to_answer(int status, const ares_addrinfo* found, std::size_t addresses_max);

// What two questions for a name, one for each family, say together. Addresses of one are enough;
// that there are none needs the word of both. The addresses of `first` come first.
AresAnswer join(AresAnswer first, AresAnswer second, std::size_t addresses_max);

inline constexpr std::string_view kNameServersSilent = "the name servers did not answer";
inline constexpr std::string_view kNameServersFailed = "the name servers gave no usable answer";

}  // namespace petrel::net
