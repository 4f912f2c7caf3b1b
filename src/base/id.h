// The ids of the things we keep: a prefix that says what it names, and a Ksuid.
//
//   MessageId  "msg_2gVpJ4…"    EndpointId  "ep_2gVpJ4…"
//
// Each kind is a type of its own: handing an EndpointId to what wants a MessageId does not compile.
//
// Thread: any. Values.

#pragma once

#include <compare>
#include <functional>
#include <string>
#include <string_view>

#include "base/ksuid.h"
#include "base/result.h"

namespace petrel {

// "msg_…" as text, checked against `prefix`. The error's field is left empty, for the caller.
Result<Ksuid> parse_id(std::string_view prefix, std::string_view text);

template <typename Kind>
class Id {
 public:
  static constexpr std::string_view kPrefix = Kind::kPrefix;

  Id() = default;
  explicit Id(const Ksuid& ksuid) : ksuid_(ksuid) {}

  static Result<Id> parse(std::string_view text) {
    Result<Ksuid> ksuid = parse_id(kPrefix, text);
    if (!ksuid.ok()) return ksuid.error();
    return Id(*ksuid);
  }

  std::string text() const { return std::string(kPrefix) + ksuid_.text(); }
  const Ksuid& ksuid() const { return ksuid_; }
  WallTime time() const { return ksuid_.time(); }

  friend auto operator<=>(const Id&, const Id&) = default;

 private:
  Ksuid ksuid_;
};

struct OrganisationKind {
  static constexpr std::string_view kPrefix = "org_";
};
struct ApplicationKind {
  static constexpr std::string_view kPrefix = "app_";
};
struct EndpointKind {
  static constexpr std::string_view kPrefix = "ep_";
};
struct MessageKind {
  static constexpr std::string_view kPrefix = "msg_";
};
struct AttemptKind {
  static constexpr std::string_view kPrefix = "atmpt_";
};
struct TaskKind {
  static constexpr std::string_view kPrefix = "qtask_";
};

using OrganisationId = Id<OrganisationKind>;
using ApplicationId = Id<ApplicationKind>;
using EndpointId = Id<EndpointKind>;
using MessageId = Id<MessageKind>;
using AttemptId = Id<AttemptKind>;
using TaskId = Id<TaskKind>;

}  // namespace petrel

// The random bytes of a Ksuid are as good a hash as any.
template <typename Kind>
struct std::hash<petrel::Id<Kind>> {
  std::size_t operator()(const petrel::Id<Kind>& id) const noexcept {
    std::size_t mixed = 0;
    for (std::size_t i = 0; i < sizeof mixed; ++i) {
      mixed = mixed << 8U | id.ksuid().bytes()[petrel::Ksuid::kBytes - sizeof mixed + i];
    }
    return mixed;
  }
};
