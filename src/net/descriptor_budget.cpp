#include "net/descriptor_budget.h"

#include <algorithm>

namespace petrel::net {
namespace {

// RocksDB goes on with few open files, and opens others again for every question.
constexpr std::size_t kStoreMin = 48;
constexpr std::size_t kStoreMax = 640;

// Standard streams, the control socket, a backup; and for each loop its listener, what wakes it,
// and the resolver's sockets.
constexpr std::size_t kProcess = 24;
constexpr std::size_t kPerLoop = 8;

constexpr std::size_t kShareMin = 16;
constexpr std::size_t kAcceptedPerLoopMax = 10'000;
constexpr std::size_t kOutgoingMax = 65'536;

// One in so many accepted connections is only told that there are too many.
constexpr std::size_t kToldPart = 8;

}  // namespace

DescriptorShares divide_descriptors(std::size_t limit, std::size_t loops) {
  DescriptorShares shares;
  shares.store = std::clamp(limit / 4, kStoreMin, kStoreMax);
  const std::size_t taken = shares.store + kProcess + kPerLoop * loops;
  const std::size_t rest = limit > taken ? limit - taken : 0;
  shares.accepted = std::clamp(rest / 3, kShareMin, kAcceptedPerLoopMax * loops);
  const std::size_t left = rest > shares.accepted ? rest - shares.accepted : 0;
  shares.outgoing = std::clamp(left, kShareMin, kOutgoingMax);
  return shares;
}

DescriptorPlace& DescriptorPlace::operator=(DescriptorPlace&& other) noexcept {
  if (this == &other) return *this;
  give_back();
  budget_ = std::move(other.budget_);
  use_ = other.use_;
  return *this;
}

void DescriptorPlace::give_back() {
  if (budget_) budget_->used_of(use_).count.fetch_sub(1, std::memory_order_relaxed);
  budget_.reset();
}

std::shared_ptr<DescriptorBudget> DescriptorBudget::make(const DescriptorShares& shares) {
  return std::make_shared<DescriptorBudget>(shares);
}

DescriptorPlace DescriptorBudget::take(DescriptorPlace::Use use) {
  std::atomic<std::size_t>& count = used_of(use).count;
  std::size_t before = count.load(std::memory_order_relaxed);
  do {
    if (before >= max_of(use)) return {};
  } while (!count.compare_exchange_weak(before, before + 1, std::memory_order_relaxed));
  return {shared_from_this(), use};
}

bool DescriptorBudget::is_accepting_crowded() const {
  const std::size_t kept_for_telling = (shares_.accepted + kToldPart - 1) / kToldPart;
  return used(DescriptorPlace::Use::Accepted) > shares_.accepted - kept_for_telling;
}

std::size_t DescriptorBudget::max_of(DescriptorPlace::Use use) const {
  return use == DescriptorPlace::Use::Accepted ? shares_.accepted : shares_.outgoing;
}

std::size_t DescriptorBudget::used(DescriptorPlace::Use use) const {
  return used_[static_cast<std::size_t>(use)].count.load(std::memory_order_relaxed);
}

DescriptorBudget::Counts DescriptorBudget::counts() const {
  return {.accepted = used(DescriptorPlace::Use::Accepted),
          .outgoing = used(DescriptorPlace::Use::Outgoing),
          .refused = refused_.load(std::memory_order_relaxed),
          .shortages = shortages_.load(std::memory_order_relaxed),
          .evictions = evictions_.load(std::memory_order_relaxed)};
}

}  // namespace petrel::net
