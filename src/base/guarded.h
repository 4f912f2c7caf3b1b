// Guarded<T> is a value with the mutex that guards it: there is no way to the one but through the
// other.
//
//   Guarded<std::map<Id, Circuit>> circuits;
//   circuits.with([&](auto& map) { map.erase(id); });
//
// Thread: safe. What is done under the lock is short and calls nothing else.

#pragma once

#include <mutex>
#include <utility>

namespace petrel {

template <typename Value>
class Guarded {
 public:
  Guarded() = default;
  explicit Guarded(Value value) : value_(std::move(value)) {}

  // What `use` gives is handed on. It must not be a reference into the value.
  template <typename Use>
  auto with(Use&& use) {
    const std::lock_guard lock(mutex_);
    return std::forward<Use>(use)(value_);
  }

  template <typename Use>
  auto with(Use&& use) const {
    const std::lock_guard lock(mutex_);
    return std::forward<Use>(use)(std::as_const(value_));
  }

 private:
  mutable std::mutex mutex_;
  Value value_{};
};

}  // namespace petrel
