#include "store/record_parts.h"

namespace petrel::store {

Error broken(std::string_view what) {
  Error error =
      corrupt("the stored " + std::string(what) + " cannot be read: its bytes make no sense");
  error.field = what;
  return error;
}

Error of(std::string_view id, Error error) {
  if (!error.field.empty()) error.field.append(" ").append(id);
  return error;
}

Result<std::uint8_t> read_version(ByteReader& in, std::string_view what, std::uint8_t newest) {
  const std::uint8_t version = in.byte();
  if (version == 0) return broken(what);
  if (version <= newest) return version;
  Error error = corrupt("the stored " + std::string(what) + " has form " + std::to_string(version) +
                        ", this Petrel knows " + std::to_string(newest) +
                        ": it was written by a newer version");
  error.field = what;
  return error;
}

void write_moment(ByteWriter& to, const std::optional<WallTime>& value) {
  write_optional(to, value, [&](WallTime moment) { to.time(moment); });
}

std::optional<WallTime> read_moment(ByteReader& in) {
  return read_optional(in, [&] { return in.time(); });
}

void write_texts(ByteWriter& to, const std::vector<std::string>& texts) {
  to.number(texts.size());
  for (const std::string& text : texts) to.text(text);
}

std::vector<std::string> read_texts(ByteReader& in) {
  std::vector<std::string> texts;
  for (std::size_t left = in.count(); left > 0; --left) texts.push_back(in.string());
  return texts;
}

}  // namespace petrel::store
