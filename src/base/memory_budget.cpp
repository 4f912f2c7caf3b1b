#include "base/memory_budget.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace petrel {
namespace {

constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max() / 8;

MemorySide other(MemorySide side) {
  return side == MemorySide::Clients ? MemorySide::Deliveries : MemorySide::Clients;
}

std::size_t left_of(std::size_t max, std::size_t used) { return max > used ? max - used : 0; }

}  // namespace

std::string_view to_string(MemoryUse use) {
  switch (use) {
    case MemoryUse::Requests:
      return "requests";
    case MemoryUse::Responses:
      return "responses";
    case MemoryUse::Messages:
      return "messages";
    case MemoryUse::Payloads:
      return "payloads";
    case MemoryUse::Results:
      return "results";
  }
  return "";
}

MemorySide side_of(MemoryUse use) {
  const bool is_delivery = use == MemoryUse::Payloads || use == MemoryUse::Results;
  return is_delivery ? MemorySide::Deliveries : MemorySide::Clients;
}

MemoryHold& MemoryHold::operator=(MemoryHold&& other) noexcept {
  if (this == &other) return *this;
  give_back();
  budget_ = std::move(other.budget_);
  account_ = std::move(other.account_);
  bytes_ = std::exchange(other.bytes_, 0);
  use_ = other.use_;
  return *this;
}

bool MemoryHold::turn_into(MemoryUse use) {
  CHECK(budget_ != nullptr);  // Ours: only what is held is turned into something else.
  if (!budget_->draw(use, bytes_, account_.get())) return false;
  budget_->give_back(std::exchange(use_, use), bytes_, account_.get());
  return true;
}

void MemoryHold::give_back() {
  if (budget_) budget_->give_back(use_, bytes_, account_.get());
  budget_.reset();
}

std::size_t MemoryBudget::Counts::used() const {
  std::size_t sum = 0;
  for (const UseCounts& use : uses) sum += use.used;
  return sum;
}

std::uint64_t MemoryBudget::Counts::refused() const {
  std::uint64_t sum = 0;
  for (const UseCounts& use : uses) sum += use.refused;
  return sum;
}

std::shared_ptr<MemoryBudget> MemoryBudget::make(std::size_t bytes_max) {
  return std::make_shared<MemoryBudget>(bytes_max);
}

std::shared_ptr<MemoryBudget> MemoryBudget::unlimited() { return make(kUnlimited); }

MemoryBudget::MemoryBudget(std::size_t bytes_max) : max_(bytes_max) {}

MemoryAccountPtr MemoryBudget::account(std::string_view name) {
  return names_.with([&](Names& names) {
    std::weak_ptr<MemoryAccount>& place = names.accounts[std::string(name)];
    if (MemoryAccountPtr there = place.lock()) return there;
    auto made = std::make_shared<MemoryAccount>(std::string(name));
    place = made;
    if (names.accounts.size() > names.look_at) {
      std::erase_if(names.accounts, [](const auto& each) { return each.second.expired(); });
      names.look_at = std::max<std::size_t>(64, 2 * names.accounts.size());
    }
    return made;
  });
}

std::size_t MemoryBudget::max_of(MemorySide side) const {
  return side == MemorySide::Clients ? max_ / 2 : max_ / 4 * 3;
}

// What counts of a side when the other one asks.
std::size_t MemoryBudget::used_for_others(MemorySide side) const {
  return std::min(used_on(side), max_of(side));
}

std::size_t MemoryBudget::free_for(MemorySide side) const {
  const std::size_t own = used_on(side);
  return std::min(left_of(max_of(side), own), left_of(max_, own + used_for_others(other(side))));
}

bool MemoryBudget::charge(MemoryAccount& account, MemorySide side, std::size_t bytes) {
  const std::size_t before = account.of(side).fetch_add(bytes, std::memory_order_relaxed);
  if (before + bytes <= free_for(side)) return true;
  credit(account, side, bytes);
  return false;
}

void MemoryBudget::credit(MemoryAccount& account, MemorySide side, std::size_t bytes) {
  account.of(side).fetch_sub(bytes, std::memory_order_relaxed);
}

bool MemoryBudget::draw(MemoryUse use, std::size_t bytes, MemoryAccount* account) {
  const MemorySide side = side_of(use);
  if (account != nullptr && !charge(*account, side, bytes)) return false;
  const std::size_t own = total(side).fetch_add(bytes) + bytes;
  if (own > max_of(side) || own + used_for_others(other(side)) > max_) {
    total(side).fetch_sub(bytes);
    if (account != nullptr) credit(*account, side, bytes);
    return false;
  }
  cell(use).used.fetch_add(bytes, std::memory_order_relaxed);
  return true;
}

void MemoryBudget::draw_anyway(MemoryUse use, std::size_t bytes) {
  total(side_of(use)).fetch_add(bytes);
  cell(use).used.fetch_add(bytes, std::memory_order_relaxed);
}

void MemoryBudget::give_back(MemoryUse use, std::size_t bytes, MemoryAccount* account) {
  if (bytes == 0) return;
  if (account != nullptr) credit(*account, side_of(use), bytes);
  cell(use).used.fetch_sub(bytes, std::memory_order_relaxed);
  total(side_of(use)).fetch_sub(bytes);
  if (is_waited_for_.load()) tell_waiting();
}

MemoryHold MemoryBudget::take(MemoryUse use, std::size_t bytes, MemoryAccountPtr account) {
  if (!draw(use, bytes, account.get())) return {};
  return {shared_from_this(), std::move(account), bytes, use};
}

MemoryHold MemoryBudget::take_anyway(MemoryUse use, std::size_t bytes) {
  draw_anyway(use, bytes);
  return {shared_from_this(), nullptr, bytes, use};
}

bool MemoryBudget::has_room(MemoryUse use, std::size_t bytes, const MemoryAccount* account) const {
  const MemorySide side = side_of(use);
  const std::size_t taken = account == nullptr ? 0 : account->used(side);
  return taken + bytes <= free_for(side);
}

void MemoryBudget::note_refused(MemoryUse use, const MemoryAccount* account) {
  cell(use).refused.fetch_add(1, std::memory_order_relaxed);
  last_refused_.with([&](std::string& name) { name = account ? account->name() : ""; });
}

std::string MemoryBudget::last_refused() const {
  return last_refused_.with([](const std::string& name) { return name; });
}

// Set before the caller looks once more, and read after something was given back: one of the two
// sees the other.
void MemoryBudget::when_freed(Function<void()> tell) {
  waiting_.with([&](auto& waiting) { waiting.push_back(std::move(tell)); });
  is_waited_for_.store(true);
}

void MemoryBudget::tell_waiting() {
  if (!is_waited_for_.exchange(false)) return;
  auto waiting = waiting_.with([](auto& all) { return std::exchange(all, {}); });
  for (const Function<void()>& tell : waiting) tell();
}

MemoryBudget::Counts MemoryBudget::counts() const {
  Counts counts{.max = max_};
  for (const MemoryUse use : kMemoryUses) {
    counts.uses[static_cast<std::size_t>(use)] = {
        .used = used(use), .refused = cell(use).refused.load(std::memory_order_relaxed)};
  }
  return counts;
}

}  // namespace petrel
