// Function is a callable that has one owner: what std::function is, but it cannot be copied. So it
// may hold what cannot be copied either (a batch on its way to the store, a promise to answer
// once), and passing it on never duplicates what it holds.
//
// What fits into 48 bytes is held in place, which covers most callbacks; the rest is allocated.
// Like std::function it is called through const, also if what it holds changes by the call.
//
// Thread: none of its own; as safe as what it holds.

#pragma once

#include <cstddef>
#include <functional>
#include <new>
#include <type_traits>
#include <utility>

#include "base/check.h"

namespace petrel {

template <typename Signature>
class Function;

namespace internal {

template <typename Held>
inline constexpr bool kIsFunction = false;
template <typename Signature>
inline constexpr bool kIsFunction<std::function<Signature>> = true;
template <typename Signature>
inline constexpr bool kIsFunction<Function<Signature>> = true;

}  // namespace internal

template <typename Answer, typename... Args>
class Function<Answer(Args...)> {
 public:
  static constexpr std::size_t kInlineBytes = 48;

  Function() noexcept {}
  Function(std::nullptr_t) {}  // NOLINT(google-explicit-constructor): as std::function has it.

  // Empty if what it is made of is: a null pointer, an empty std::function.
  template <typename Callable>
  requires(!std::is_same_v<std::decay_t<Callable>, Function> &&
           std::is_invocable_r_v<Answer, std::decay_t<Callable>&, Args...>)
      Function(Callable&& callable) {  // NOLINT(google-explicit-constructor): likewise.
    using Held = std::decay_t<Callable>;
    constexpr bool kMayBeEmpty =
        std::is_pointer_v<std::remove_cvref_t<Callable>> || internal::kIsFunction<Held>;
    if constexpr (kMayBeEmpty) {
      if (!callable) return;
    }
    if constexpr (kFits<Held>) {
      ::new (static_cast<void*>(place_)) Held(std::forward<Callable>(callable));
      verbs_ = &kInPlace<Held>;
    } else {
      // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): owned by the place, ended by `destroy`.
      ::new (static_cast<void*>(place_)) Held*(new Held(std::forward<Callable>(callable)));
      verbs_ = &kAllocated<Held>;
    }
  }

  Function(Function&& other) noexcept { take(other); }

  Function& operator=(Function&& other) noexcept {
    if (this != &other) {
      reset();
      take(other);
    }
    return *this;
  }

  Function(const Function&) = delete;
  Function& operator=(const Function&) = delete;
  ~Function() { reset(); }

  explicit operator bool() const { return verbs_ != nullptr; }

  // REQUIRES: not empty.
  Answer operator()(Args... args) const {
    CHECK(verbs_ != nullptr);
    return verbs_->call(place_, std::forward<Args>(args)...);
  }

 private:
  struct Verbs {
    Answer (*call)(void* place, Args&&... args);
    void (*move)(void* from, void* to);  // Leaves nothing to destroy behind.
    void (*destroy)(void* place);
  };

  template <typename Held>
  static constexpr bool kFits =
      sizeof(Held) <= kInlineBytes &&
      alignof(Held) <= alignof(std::max_align_t) && std::is_nothrow_move_constructible_v<Held>;

  template <typename Held>
  static Held& held_in(void* place) {
    return *std::launder(static_cast<Held*>(place));
  }

  template <typename Held>
  static constexpr Verbs kInPlace = {[](void* place, Args&&... args) -> Answer {
                                       return std::invoke(held_in<Held>(place),
                                                          std::forward<Args>(args)...);
                                     },
                                     [](void* from, void* to) {
                                       ::new (to) Held(std::move(held_in<Held>(from)));
                                       held_in<Held>(from).~Held();
                                     },
                                     [](void* place) { held_in<Held>(place).~Held(); }};

  template <typename Held>
  static constexpr Verbs kAllocated = {
      [](void* place, Args&&... args) -> Answer {
        return std::invoke(*held_in<Held*>(place), std::forward<Args>(args)...);
      },
      [](void* from, void* to) { ::new (to) Held*(held_in<Held*>(from)); },
      [](void* place) { delete held_in<Held*>(place); }};

  void take(Function& other) noexcept {
    if (other.verbs_ == nullptr) return;
    other.verbs_->move(other.place_, place_);
    verbs_ = std::exchange(other.verbs_, nullptr);
  }

  void reset() noexcept {
    if (verbs_ != nullptr) std::exchange(verbs_, nullptr)->destroy(place_);
  }

  alignas(std::max_align_t) mutable std::byte place_[kInlineBytes];
  const Verbs* verbs_ = nullptr;
};

}  // namespace petrel
