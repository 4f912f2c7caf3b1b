// Query is what stands behind the question mark of a request's target, decoded.
//
//   ?limit=20&event_types=a,b&before=2026-03-09T14:05:06Z
//
// A parameter that is unknown is ignored. Each question about one that is malformed is answered
// with an Invalid error at "query.<name>". An empty value counts as absent.
//
// Thread: any. A value.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace petrel::api {

// %41 becomes A. A percent sign without two hexadecimal digits behind it stays what it is: some
// client libraries insert names raw.
std::string percent_decoded(std::string_view text);

class Query {
 public:
  Query() = default;
  explicit Query(std::string_view text);

  // The last one of that name. Empty if there is none.
  std::string_view text(std::string_view name) const;

  Result<bool> flag(std::string_view name, bool if_absent) const;
  Result<std::optional<std::int64_t>> number(std::string_view name) const;
  Result<std::optional<WallTime>> time(std::string_view name) const;

  // a,b or name=a&name=b, name[]=a, name[0]=a, or any mixture of them. In the order given.
  std::vector<std::string> list(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, std::string>> parameters_;
};

}  // namespace petrel::api
