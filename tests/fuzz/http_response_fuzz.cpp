// What a receiver sends back, in any pieces: however the bytes are cut, the same response comes
// out, within its limits, and the receiving half of an attempt always ends in a legal way.

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "dispatch/reception.h"
#include "dispatch/response_reader.h"
#include "model/attempt.h"

namespace petrel::dispatch {
namespace {

using Progress = ResponseReader::Progress;
using Next = Reception::Next;

struct Reading {
  Progress progress = Progress::NeedMore;
  int status = 0;
  bool has_header = false;
  bool is_reusable = false;
  std::size_t used_at_most = 0;  // Bytes that had been fed when it ended.
  std::string why;
  std::string retry_after;
  std::string date;
  std::string webhook_delivery;
  std::string body;

  friend bool operator==(const Reading&, const Reading&) = default;
};

Reading outcome_of(ResponseReader& reader, Progress progress) {
  return {.progress = progress,
          .status = reader.status(),
          .has_header = reader.has_header(),
          .is_reusable = reader.is_reusable(),
          .why = std::string(reader.why()),
          .retry_after = reader.retry_after(),
          .date = reader.date(),
          .webhook_delivery = reader.webhook_delivery(),
          .body = reader.take_body()};
}

void check_limits(const Reading& reading) {
  CHECK(reading.status == 0 || (reading.status >= 200 && reading.status <= 999));
  CHECK(reading.has_header == (reading.status != 0));
  CHECK(reading.body.size() <= model::kResponseKeptBytes);
  for (const std::string* value :
       {&reading.retry_after, &reading.date, &reading.webhook_delivery}) {
    CHECK(value->size() <= 256);
    for (const char c : *value) CHECK(c != '\r' && c != '\n' && c != '\0');
  }
  const bool is_ended = reading.progress != Progress::NeedMore;
  if (reading.progress == Progress::Done || reading.progress == Progress::CutOff) {
    CHECK(reading.has_header);
  }
  CHECK((reading.progress == Progress::Malformed) == !reading.why.empty());
  CHECK(!reading.is_reusable || reading.progress == Progress::Done);
  // What never ends by itself is given up within all its limits together.
  constexpr std::size_t kMost = ResponseReader::kInterimBytesMax + ResponseReader::kRawBodyMax +
                                2 * ResponseReader::kHeaderBytesMax + 2;
  CHECK(is_ended || reading.used_at_most <= kMost);
}

Reading read(std::string_view bytes, std::size_t piece) {
  ResponseReader reader;
  Progress progress = Progress::NeedMore;
  std::size_t used = 0;
  while (used < bytes.size() && progress == Progress::NeedMore) {
    const std::string_view part = bytes.substr(used, piece);
    progress = reader.feed(part);
    used += part.size();
  }
  CHECK(reader.has_begun() == !bytes.empty());
  Reading reading = outcome_of(reader, progress);
  reading.used_at_most = used;
  check_limits(reading);
  return reading;
}

// All but what depends on how much was fed beyond the response's end.
void check_same(Reading whole, Reading cut) {
  whole.used_at_most = cut.used_at_most = 0;
  if (!whole.is_reusable) cut.is_reusable = false;
  CHECK(whole == cut);
}

// A reader that has read something else before reads the same.
void check_used_again(std::string_view bytes, const Reading& first) {
  ResponseReader reader;
  reader.feed(bytes.substr(0, bytes.size() / 2));
  reader.end();
  reader.reset();
  const Progress progress = reader.feed(bytes);
  check_same(first, outcome_of(reader, progress));
}

// The attempt, with the connection as it may be and every way in which it may end.
void check_reception(std::string_view bytes, std::size_t piece, unsigned way) {
  const Reception::Standing standing{.is_reused = (way & 1U) != 0, .is_written = (way & 2U) != 0};
  ResponseReader reader;
  Reception reception(reader);
  Next next = Next::Wait;
  while (!bytes.empty() && next == Next::Wait) {
    const std::string_view part = bytes.substr(0, piece);
    bytes.remove_prefix(part.size());
    next = reception.on_bytes(part, standing);
    CHECK(next != Next::DialAnew);
  }
  if (next == Next::Wait) {
    switch (way >> 2U & 3U) {
      case 0:
        next = reception.on_end(standing);
        break;
      case 1:
        next = reception.on_broken(ECONNRESET, standing);
        break;
      case 2:
        next = reception.on_failure(failed(policy::FailureKind::Timeout, "late"));
        break;
      default:
        next = reception.on_broken(ENOBUFS, standing);
        break;
    }
  }
  CHECK(next != Next::Wait);
  const bool is_answer = next == Next::Answer || next == Next::AnswerAndReuse;
  CHECK(!is_answer || reader.has_header());
  CHECK(next != Next::AnswerAndReuse || standing.is_written);
  if (reader.status() / 100 == 2) CHECK(is_answer);
  if (next == Next::DialAnew) {
    CHECK(standing.is_reused && !standing.is_written && !reader.has_begun());
  }
  CHECK(!reception.is_stale() ||
        (next == Next::Fail && standing.is_reused && standing.is_written && !reader.has_begun()));
}

}  // namespace
}  // namespace petrel::dispatch

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace petrel::dispatch;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Reading whole = read(bytes, size + 1);
  check_same(whole, read(bytes, 1));
  check_same(whole, read(bytes, 7));
  check_same(whole, read(bytes, 16 * 1024));
  check_used_again(bytes, whole);
  for (unsigned way = 0; way < 16; ++way) check_reception(bytes, way % 2 == 0 ? size + 1 : 5, way);
  return 0;
}
