// A bug that is planted into a server for tests/system/quarantine_test.py: as soon as it writes the
// request of a payload that asks for it, it crashes. It is linked in place of the one function that
// writes requests, so the shipped binary knows nothing of it.
//
//   {"plant": "abort"}   std::abort
//   {"plant": "throw"}   an exception that nobody catches
//   {"plant": "null"}    a write through a null pointer
//   {"plant": "deep"}    a stack that overflows

#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "dispatch/request_writer.h"

namespace petrel::dispatch {
namespace {

int overflow(int depth) {
  std::array<volatile char, 4096> much{};
  much[0] = static_cast<char>(depth);
  return depth < 0 ? 0 : overflow(depth + 1) + much[0];
}

void crash_if_asked(std::string_view body) {
  const auto asks_for = [&](std::string_view what) {
    return body.find("\"plant\":\"" + std::string(what) + '"') != std::string_view::npos ||
           body.find("\"plant\": \"" + std::string(what) + '"') != std::string_view::npos;
  };
  if (asks_for("abort")) std::abort();
  if (asks_for("throw")) throw std::logic_error("planted");
  if (asks_for("null")) *static_cast<volatile int*>(nullptr) = 1;
  if (asks_for("deep")) std::exit(overflow(1));
}

}  // namespace

// RequestWriter::write_head as the linker calls it, and as it is called instead; see the options of
// the target.
void real_write_head(RequestWriter* self, const MessageId& message, WallTime at,
                     std::string_view body, std::string_view content_type,
                     std::string& out) asm("__real_" PETREL_WRITE_HEAD);
void planted_write_head(RequestWriter* self, const MessageId& message, WallTime at,
                        std::string_view body, std::string_view content_type,
                        std::string& out) asm("__wrap_" PETREL_WRITE_HEAD);

void planted_write_head(RequestWriter* self, const MessageId& message, WallTime at,
                        std::string_view body, std::string_view content_type, std::string& out) {
  crash_if_asked(body);
  real_write_head(self, message, at, body, content_type, out);
}

}  // namespace petrel::dispatch
