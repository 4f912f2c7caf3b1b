// What the encodings of records (encoding.h) have in common: the version that each begins with, and
// the parts that many of them have.
//
// Thread: any.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/bytes.h"

namespace petrel::store {

// What is said of a record that cannot be read. Its field names the kind of record; of() adds which
// one it is.
Error broken(std::string_view what);
Error of(std::string_view id, Error error);

// The version that the record has, if it is one that we know.
Result<std::uint8_t> read_version(ByteReader& in, std::string_view what, std::uint8_t newest);

template <typename T, typename Write>
void write_optional(ByteWriter& to, const std::optional<T>& value, Write write) {
  to.flag(value.has_value());
  if (value) write(*value);
}

template <typename Read>
auto read_optional(ByteReader& in, Read read) -> std::optional<decltype(read())> {
  if (!in.flag()) return std::nullopt;
  return read();
}

void write_moment(ByteWriter& to, const std::optional<WallTime>& value);
std::optional<WallTime> read_moment(ByteReader& in);

void write_texts(ByteWriter& to, const std::vector<std::string>& texts);
std::vector<std::string> read_texts(ByteReader& in);

}  // namespace petrel::store
