#include "api/json/message.h"

#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <simdjson.h>

#include "api/json/message_extras.h"
#include "base/rfc3339.h"
#include "base/text.h"
#include "base/try.h"

namespace petrel::api {
namespace {

namespace ondemand = simdjson::ondemand;
using Type = ondemand::json_type;

std::string_view kind_name(Type type) {
  switch (type) {
    case Type::array:
      return "a list";
    case Type::object:
      return "an object";
    case Type::number:
      return "a number";
    case Type::string:
      return "a string";
    case Type::boolean:
      return "a boolean";
    case Type::null:
      return "null";
  }
  return "something else";
}

[[noreturn]] void stop(simdjson::error_code code) { throw simdjson::simdjson_error(code); }

void skip_digits(std::string_view& text) {
  while (!text.empty() && is_digit(text.front())) text.remove_prefix(1);
}

bool skip_some_digits(std::string_view& text) {
  const std::size_t before = text.size();
  skip_digits(text);
  return text.size() < before;
}

// By JSON's grammar alone: a number may be larger or finer than any of ours can hold.
bool is_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.starts_with('0')) {
    text.remove_prefix(1);
  } else if (!skip_some_digits(text)) {
    return false;
  }
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (!skip_some_digits(text)) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (!skip_some_digits(text)) return false;
  }
  return text.empty();
}

std::string_view without_space(std::string_view token) {
  const std::size_t last = token.find_last_not_of(" \t\r\n");
  return token.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

void walk(ondemand::value value, int depth);

void walk(ondemand::object object, int depth) {
  if (depth > kMessageDepthMax) stop(simdjson::DEPTH_ERROR);
  for (auto field : object) {
    const std::string_view key = field.unescaped_key();
    static_cast<void>(key);
    walk(ondemand::value(field.value()), depth + 1);
  }
}

// Goes over everything below: the parser finds what is wrong only where it is looked at.
void walk(ondemand::value value, int depth) {
  if (depth > kMessageDepthMax) stop(simdjson::DEPTH_ERROR);
  switch (Type(value.type())) {
    case Type::object:
      return walk(ondemand::object(value.get_object()), depth);
    case Type::array:
      for (auto item : value.get_array()) walk(item.value(), depth + 1);
      return;
    case Type::string:
      static_cast<void>(std::string_view(value.get_string()));
      return;
    case Type::number:
      if (!is_number(without_space(value.raw_json_token()))) stop(simdjson::NUMBER_ERROR);
      return;
    case Type::boolean:
      static_cast<void>(bool(value.get_bool()));
      return;
    case Type::null:
      if (!bool(value.is_null())) stop(simdjson::N_ATOM_ERROR);
      return;
  }
}

// What the body has said so far.
struct Draft {
  std::optional<std::string> event_type;
  std::optional<std::string> event_id;
  std::optional<std::vector<std::string>> channels;
  model::Payload payload;
  MessageExtras extras;

  Status take(std::string_view name, ondemand::value value);
  Status take_text(std::optional<std::string>& place, ondemand::value value) const;
  Status take_channels(ondemand::value value);
  Status take_payload(ondemand::value value);
};

// What is rare in a message may cost a tree. The parser has only skipped it: this is where it is
// checked.
Result<JsonValue> tree_of(ondemand::value value) {
  std::string_view text;
  switch (Type(value.type())) {
    case Type::object:
      text = ondemand::object(value.get_object()).raw_json();
      break;
    case Type::array:
      text = ondemand::array(value.get_array()).raw_json();
      break;
    default:
      text = without_space(value.raw_json_token());
      walk(value, 1);
  }
  return parse_json(text);
}

Error wrong_kind(Type type, std::string_view expected) {
  return invalid("", fmt::format("must be {}, not {}", expected, kind_name(type)));
}

Status Draft::take_text(std::optional<std::string>& place, ondemand::value value) const {
  const Type type = value.type();
  if (type != Type::string) return wrong_kind(type, "a string");
  if (place) return invalid("", "appears twice");
  place = std::string(std::string_view(value.get_string()));
  return Done{};
}

Status Draft::take_channels(ondemand::value value) {
  const Type type = value.type();
  if (type != Type::array) return wrong_kind(type, "a list of strings");
  if (channels) return invalid("", "appears twice");
  channels.emplace();
  for (auto item : value.get_array()) {
    ondemand::value channel = item.value();
    const Type item_type = channel.type();
    if (item_type != Type::string) {
      return wrong_kind(item_type, "a string").under(fmt::format("[{}]", channels->size()));
    }
    channels->emplace_back(std::string_view(channel.get_string()));
  }
  if (channels->empty()) return invalid("", "must be null or name at least one channel");
  return Done{};
}

Status Draft::take_payload(ondemand::value value) {
  const Type type = value.type();
  if (type != Type::object) return wrong_kind(type, "an object");
  if (payload) return invalid("", "appears twice; \"data\" is another name for \"payload\"");
  ondemand::object object = value.get_object();
  const std::string_view raw = without_space(std::string_view(object.raw_json()));
  payload = std::make_shared<const std::string>(raw);
  if (object.reset().error() != simdjson::SUCCESS) stop(simdjson::TAPE_ERROR);
  walk(object, 1);
  return Done{};
}

Status Draft::take(std::string_view name, ondemand::value value) {
  const bool is_null = Type(value.type()) == Type::null;
  if (name == "eventType") return take_text(event_type, value);
  if (name == "payload" || name == "data") return take_payload(value);
  if (!is_null && name == "eventId") return take_text(event_id, value);
  if (!is_null && name == "channels") return take_channels(value);
  if (!is_null && MessageExtras::knows(name)) {
    ASSIGN_OR_RETURN(JsonValue tree, tree_of(value));
    return extras.take(name, std::move(tree));
  }
  walk(value, 1);
  return Done{};
}

Result<MessageBody> finish(Draft draft) {
  if (!draft.event_type) return invalid("eventType", "is missing");
  if (!draft.payload) return invalid("payload", "is missing");
  if (draft.event_id && draft.event_id->empty()) return invalid("eventId", "must not be empty");
  MessageBody body;
  body.event_type = *std::move(draft.event_type);
  if (draft.event_id) body.event_id = *std::move(draft.event_id);
  if (draft.channels) body.channels = *std::move(draft.channels);
  body.payload = std::move(draft.payload);
  draft.extras.put_into(body);
  return body;
}

Result<MessageBody> read_document(ondemand::document& document) {
  const Type type = document.type();
  if (type != Type::object) return wrong_kind(type, "an object");
  Draft draft;
  for (auto field : document.get_object()) {
    // Copied: the buffer it stands in grows with every string that is read.
    const std::string name(std::string_view(field.unescaped_key()));
    TRY(under(name, draft.take(name, field.value())));
  }
  // Out of bounds is where it should be by now.
  if (document.current_location().error() == simdjson::SUCCESS) stop(simdjson::TRAILING_CONTENT);
  return finish(std::move(draft));
}

}  // namespace

struct MessageReader::Buffers {
  ondemand::parser parser;
};

MessageReader::MessageReader() : buffers_(std::make_unique<Buffers>()) {}
MessageReader::~MessageReader() = default;

Result<MessageBody> MessageReader::read(std::string& body) {
  if (body.empty()) return invalid("", "is empty where JSON was expected");
  body.reserve(body.size() + simdjson::SIMDJSON_PADDING);
  try {
    ondemand::document document = buffers_->parser.iterate(body);
    return read_document(document);
  } catch (const simdjson::simdjson_error& failure) {
    if (failure.error() == simdjson::DEPTH_ERROR) {
      return invalid("", fmt::format("is nested more than {} levels deep", kMessageDepthMax));
    }
    return invalid("", fmt::format("is not valid JSON: {}", failure.what()));
  }
}

namespace {

void write_texts(std::string_view name, const std::vector<std::string>& texts, JsonWriter& json) {
  json.key(name).begin_array();
  for (const std::string& text : texts) json.value(text);
  json.end_array();
}

}  // namespace

void write_message(const model::Message& message, std::string_view payload, JsonWriter& json) {
  json.begin_object();
  write_message_fields(message, payload, json);
  json.end_object();
}

void write_message_fields(const model::Message& message, std::string_view payload,
                          JsonWriter& json) {
  json.field("id", message.id.text());
  json.key("eventId");
  if (message.event_id.empty()) {
    json.null();
  } else {
    json.value(message.event_id);
  }
  json.field("eventType", message.event_type);
  json.key("payload").raw(payload);
  if (message.channels.empty()) {
    json.key("channels").null();
  } else {
    write_texts("channels", message.channels, json);
  }
  if (!message.tags.empty()) write_texts("tags", message.tags, json);
  json.field("timestamp", to_rfc3339(message.accepted_at));
  if (message.deliver_at) json.field("deliverAt", to_rfc3339(*message.deliver_at));
}

std::string payload_text(const model::Message& message, const model::Payload& payload,
                         bool with_content) {
  if (!with_content) return "{}";
  if (payload == nullptr) return R"({"expired":true})";
  if (message.content_type.empty()) return *payload;
  JsonWriter json;
  json.begin_object().field("rawPayload", *payload).end_object();
  return json.take();
}

}  // namespace petrel::api
