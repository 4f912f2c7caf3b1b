#include "base/memory_share.h"

#include "base/check.h"

namespace petrel {

MemoryShare::~MemoryShare() { budget_->give_back(use_, drawn_, nullptr); }

bool MemoryShare::take(std::size_t bytes, MemoryAccount* account) {
  if (account != nullptr && !budget_->charge(*account, side_of(use_), bytes)) return false;
  if (used_ + bytes > drawn_) {
    const std::size_t wanted = whole_steps(used_ + bytes - drawn_);
    if (!budget_->draw(use_, wanted, nullptr)) {
      if (account != nullptr) budget_->credit(*account, side_of(use_), bytes);
      return false;
    }
    drawn_ += wanted;
  }
  used_ += bytes;
  return true;
}

void MemoryShare::take_anyway(std::size_t bytes) {
  used_ += bytes;
  if (used_ <= drawn_) return;
  const std::size_t wanted = whole_steps(used_ - drawn_);
  budget_->draw_anyway(use_, wanted);
  drawn_ += wanted;
}

void MemoryShare::give_back(std::size_t bytes, MemoryAccount* account) {
  CHECK(bytes <= used_);  // Ours: what was taken is given back once.
  if (account != nullptr) budget_->credit(*account, side_of(use_), bytes);
  used_ -= bytes;
  // One step stays, so that going to and fro over its edge costs nothing.
  const std::size_t kept = whole_steps(used_) + step_;
  if (drawn_ <= kept) return;
  budget_->give_back(use_, drawn_ - kept, nullptr);
  drawn_ = kept;
}

}  // namespace petrel
