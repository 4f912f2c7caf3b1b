#include "dispatch/tls_contexts.h"

#include <algorithm>
#include <utility>

namespace petrel::dispatch {

TlsContexts::TlsContexts(std::shared_ptr<TlsContext> usual) : usual_(std::move(usual)) {}

Result<std::shared_ptr<TlsContext>> TlsContexts::find(const TlsMaterial& material, MonoTime now) {
  if (material.id().empty()) return usual_;
  if (const auto known = own_.find(material.id()); known != own_.end()) {
    known->second.asked_at = now;
    return known->second.context;
  }
  auto made = TlsContext::make_own(*usual_, material);
  if (!made.ok()) return made.error();
  make_room();
  own_.emplace(material.id(), Own{*made, now});
  return *std::move(made);
}

void TlsContexts::sweep(MonoTime now) {
  std::erase_if(own_, [now](const auto& entry) {
    const Own& own = entry.second;
    return own.context.use_count() == 1 && now - own.asked_at >= kUnusedMax;
  });
}

void TlsContexts::make_room() {
  if (own_.size() < kOwnMax) return;
  own_.erase(std::min_element(own_.begin(), own_.end(), [](const auto& left, const auto& right) {
    return left.second.asked_at < right.second.asked_at;
  }));
}

}  // namespace petrel::dispatch
