// The changes of applications and endpoints within a Commit.

#include "store/rocksdb/commit.h"

namespace petrel::store {
namespace {

constexpr Family family_of(const model::Application& /*like*/) { return Family::Application; }
constexpr Family family_of(const model::Endpoint& /*like*/) { return Family::Endpoint; }

std::string_view word_for(const model::Application& /*like*/) { return "application"; }
std::string_view word_for(const model::Endpoint& /*like*/) { return "endpoint"; }

std::string name_of(const model::Application& application) {
  return uid_key(UidKind::Application, application.organisation, application.uid);
}
std::string name_of(const model::Endpoint& endpoint) {
  return uid_key(UidKind::Endpoint, endpoint.application, endpoint.uid);
}

Result<model::Application> decode_like(const model::Application& like, std::string_view bytes) {
  return decode_application(like.id, bytes);
}
Result<model::Endpoint> decode_like(const model::Endpoint& like, std::string_view bytes) {
  return decode_endpoint(like.id, bytes);
}

}  // namespace

template <typename T>
Result<std::optional<T>> Commit::find_thing(const T& like) {
  const auto here = things(like).find(like.id);
  if (here != things(like).end()) return std::optional<T>(here->second);
  const Result<bool> found = database_.get(family_of(like), Key().id(like.id).slice(), read_);
  if (!found.ok()) return found.error();
  if (!*found) return std::optional<T>();
  Result<T> record = decode_like(like, view(read_));
  if (!record.ok()) return record.error();
  return std::optional<T>(*std::move(record));
}

template <typename T>
Status Commit::put_thing(const T* before, const T& now) {
  const std::string name = name_of(now);
  if (!now.uid.empty()) {
    const auto holder = holder_of(name);
    if (!holder.ok()) return holder.error();
    if (*holder && **holder != now.id.ksuid()) {
      return conflict("another " + std::string(word_for(now)) + " has this uid");
    }
  }
  if (before != nullptr && !before->uid.empty() && name_of(*before) != name) {
    remove(Family::Uid, name_of(*before));
    names_.insert_or_assign(name_of(*before), std::nullopt);
  }
  if (!now.uid.empty()) put_name(name, now.id.ksuid());
  value_.clear();
  encode(now, value_);
  put(family_of(now), Key().id(now.id).slice(), value_);
  things(now).insert_or_assign(now.id, now);
  return Done{};
}

template <typename T>
Status Commit::create_thing(const T& thing) {
  const Result<std::optional<T>> before = find_thing(thing);
  if (!before.ok()) return before.error();
  if (!*before) return put_thing<T>(nullptr, thing);
  if (**before == thing) return Done{};  // A repetition, because the first answer was lost.
  return conflict("there is another " + std::string(word_for(thing)) + " of this id");
}

template <typename T>
Status Commit::update_thing(const T& thing) {
  const Result<std::optional<T>> before = find_thing(thing);
  if (!before.ok()) return before.error();
  if (!*before) return not_found("there is no such " + std::string(word_for(thing)));
  return put_thing(&**before, thing);
}

Status Commit::create(const model::Application& application) { return create_thing(application); }
Status Commit::create(const model::Endpoint& endpoint) { return create_thing(endpoint); }
Status Commit::update(const model::Application& application) { return update_thing(application); }
Status Commit::update(const model::Endpoint& endpoint) { return update_thing(endpoint); }

}  // namespace petrel::store
