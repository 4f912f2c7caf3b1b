#include "dispatch/response_reader.h"

#include <algorithm>
#include <utility>

namespace petrel::dispatch {
namespace {

using Framing = ResponseHead::Framing;

}  // namespace

// Where the head in `text` ends, behind its empty line, or npos. Goes on where the last search for
// it has ended.
std::size_t ResponseReader::HeadSearch::find_end(std::string_view text) {
  for (;;) {
    const std::size_t feed = text.find('\n', looked_to);
    looked_to = feed == std::string_view::npos ? text.size() : feed + 1;
    if (feed == std::string_view::npos) return feed;
    if (feed == 0 || text[feed - 1] != '\r') {
      is_torn = true;
      return std::string_view::npos;
    }
    const bool is_empty_line = feed == line_start + 1;
    line_start = feed + 1;
    if (is_empty_line) return line_start;
  }
}

void ResponseReader::reset() {
  progress_ = Progress::NeedMore;
  has_begun_ = false;
  has_header_ = false;
  is_reusable_ = false;
  interims_ = 0;
  interim_bytes_ = 0;
  // Swapped, so that a connection that idles keeps none of it.
  std::string().swap(pending_);
  search_ = {};
  head_.clear();
  body_bytes_ = 0;
  raw_body_bytes_ = 0;
  std::string().swap(body_);
  kept_max_ = model::kResponseKeptBytes;
  why_ = {};
}

ResponseReader::Progress ResponseReader::feed(std::string_view bytes) {
  if (bytes.empty() || progress_ != Progress::NeedMore) return progress_;
  has_begun_ = true;
  progress_ = has_header_ ? Progress::NeedMore : take_heads(bytes);
  if (has_header_ && progress_ == Progress::NeedMore) progress_ = take_body_part(bytes);
  // What comes after the response was not asked for: nothing on this connection can be trusted.
  is_reusable_ = progress_ == Progress::Done && bytes.empty() && head_.keeps_alive;
  return progress_;
}

// Takes heads off the front of `bytes`, until the one of the response itself is complete.
ResponseReader::Progress ResponseReader::take_heads(std::string_view& bytes) {
  while (!has_header_ && !bytes.empty()) {
    // Nearly always the head comes in one piece, and is read where it lies.
    const std::size_t before = pending_.size();
    if (before > 0) pending_ += bytes.substr(0, kHeaderBytesMax + 1 - before);
    const std::string_view text = before > 0 ? std::string_view(pending_) : bytes;
    if (!can_begin_response(text)) return refuse(kNotWellFormed);
    const std::size_t end = search_.find_end(text.substr(0, kHeaderBytesMax));
    if (search_.is_torn) return refuse(kNotWellFormed);
    if (end == std::string_view::npos) {
      if (text.size() > kHeaderBytesMax) {
        return refuse("the response's headers are longer than 32 KiB");
      }
      if (before == 0) pending_.assign(bytes);
      bytes = {};
      return Progress::NeedMore;
    }
    const Progress progress = take_head(text.substr(0, end));
    bytes.remove_prefix(end - before);
    pending_.clear();
    search_ = {};
    if (progress != Progress::NeedMore) return progress;
  }
  return Progress::NeedMore;
}

ResponseReader::Progress ResponseReader::take_head(std::string_view head) {
  const std::string_view objection = parse_response_head(head, head_);
  if (!objection.empty()) return refuse(objection);
  if (head_.status == 101) return refuse("the receiver wants another protocol than HTTP/1.1");
  if (head_.status / 100 == 1) {
    interim_bytes_ += head.size();
    if (++interims_ > kInterimMax) return refuse("more than ten interim responses (1xx)");
    if (interim_bytes_ > kInterimBytesMax) {
      return refuse("interim responses (1xx) of more than 32 KiB together");
    }
    head_.clear();
    return Progress::NeedMore;
  }
  has_header_ = true;
  body_left_ = head_.length;
  chunks_ = ChunkScanner();
  switch (head_.framing) {
    case Framing::None:
      return Progress::Done;
    case Framing::Length:
      return body_left_ == 0 ? Progress::Done : Progress::NeedMore;
    case Framing::Unknown:
      return Progress::CutOff;
    case Framing::Chunked:
    case Framing::UntilEnd:
      break;
  }
  return Progress::NeedMore;
}

ResponseReader::Progress ResponseReader::take_body_part(std::string_view& bytes) {
  if (bytes.empty()) return Progress::NeedMore;
  if (head_.framing == Framing::Chunked) return take_chunks(bytes);
  if (head_.framing == Framing::Length) return take_sized(bytes);
  const bool is_within = keep(bytes);
  bytes = {};
  return is_within ? Progress::NeedMore : Progress::CutOff;
}

ResponseReader::Progress ResponseReader::take_sized(std::string_view& bytes) {
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(body_left_, bytes.size()));
  const bool is_within = keep(bytes.substr(0, size));
  bytes.remove_prefix(size);
  body_left_ -= size;
  if (!is_within) return Progress::CutOff;
  return body_left_ == 0 ? Progress::Done : Progress::NeedMore;
}

ResponseReader::Progress ResponseReader::take_chunks(std::string_view& bytes) {
  while (!bytes.empty()) {
    // No further than the bound, so that it does not matter how the bytes were cut.
    const std::string_view part = bytes.substr(0, kRawBodyMax + 1 - raw_body_bytes_);
    const ChunkScanner::Piece piece = chunks_.next(part);
    bytes.remove_prefix(piece.used);
    raw_body_bytes_ += piece.used;
    if (!keep(piece.body)) return Progress::CutOff;
    if (chunks_.is_malformed()) return refuse("the response's chunks are not well-formed");
    if (chunks_.is_over()) return Progress::Done;
    if (raw_body_bytes_ > kRawBodyMax) return Progress::CutOff;
  }
  return Progress::NeedMore;
}

// False if there is more than we read.
bool ResponseReader::keep(std::string_view body) {
  body_.append(body.substr(0, kept_max_ - body_.size()));
  body_bytes_ += body.size();
  return body_bytes_ <= kBodyReadMax;
}

ResponseReader::Progress ResponseReader::refuse(std::string_view why) {
  why_ = why;
  return Progress::Malformed;
}

ResponseReader::Progress ResponseReader::end() {
  if (progress_ != Progress::NeedMore) return progress_;
  const bool ends_body = has_header_ && head_.framing == Framing::UntilEnd;
  progress_ = ends_body ? Progress::Done : refuse("the connection ended before the response did");
  return progress_;
}

std::string ResponseReader::take_body() { return std::exchange(body_, {}); }

}  // namespace petrel::dispatch
