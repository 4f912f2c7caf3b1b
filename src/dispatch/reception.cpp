#include "dispatch/reception.h"

#include <utility>

namespace petrel::dispatch {

using policy::FailureKind;
using policy::Outcome;

Reception::Next Reception::on_bytes(std::string_view bytes, Standing standing) {
  switch (reader_.feed(bytes)) {
    case ResponseReader::Progress::NeedMore:
      return Next::Wait;
    case ResponseReader::Progress::Done:
      return reader_.is_reusable() && standing.is_written ? Next::AnswerAndReuse : Next::Answer;
    case ResponseReader::Progress::CutOff:
      return Next::Answer;
    case ResponseReader::Progress::Malformed:
      break;
  }
  return on_failure(failed(FailureKind::Protocol, reader_.why()));
}

Reception::Next Reception::on_end(Standing standing) {
  if (!reader_.has_begun()) return on_broken(0, standing);
  if (reader_.end() != ResponseReader::Progress::Malformed) return Next::Answer;
  return on_failure(failed(FailureKind::Reset, reader_.why()));
}

Reception::Next Reception::on_broken(int error, Standing standing) {
  const bool is_unanswered = standing.is_reused && !reader_.has_begun();
  if (is_unanswered && !standing.is_written) return Next::DialAnew;
  Failure failure = broken_connection(error);
  is_stale_ = is_unanswered && failure.outcome == Outcome::failed(FailureKind::Reset);
  return on_failure(std::move(failure));
}

Reception::Next Reception::on_failure(Failure failure) {
  if (reader_.status() / 100 == 2) return Next::Answer;
  failure_ = std::move(failure);
  return Next::Fail;
}

}  // namespace petrel::dispatch
