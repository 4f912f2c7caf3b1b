#include "notice/notice_type.h"

namespace petrel::notice {

std::string_view name_of(NoticeType type) {
  for (const auto& [known, name] : kNoticeTypes) {
    if (known == type) return name;
  }
  return "";
}

std::optional<NoticeType> find_notice_type(std::string_view name) {
  for (const auto& [type, known] : kNoticeTypes) {
    if (known == name) return type;
  }
  return std::nullopt;
}

}  // namespace petrel::notice
