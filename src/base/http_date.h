// HTTP-date (RFC 9110, section 5.6.7): the form in which receivers and proxies write times.
//
// Three forms are in the wild, and a recipient must read all of them:
//
//   Sun, 06 Nov 1994 08:49:37 GMT       IMF-fixdate, the only one we write
//   Sunday, 06-Nov-94 08:49:37 GMT      RFC 850, obsolete; the year has two digits
//   Sun Nov  6 08:49:37 1994            asctime, obsolete
//
// Thread: any.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace petrel {

std::string to_http_date(WallTime time);

// Empty if the text is none of the three. The name of the weekday must be one, but need not fit the
// date: it carries no information and some senders get it wrong.
//
// `now` settles the century of a two-digit year: a date that would lie more than 50 years ahead is
// the one a century earlier.
std::optional<WallTime> parse_http_date(std::string_view text, WallTime now);

}  // namespace petrel
