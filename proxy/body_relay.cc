#include "proxy/body_relay.h"

#include <algorithm>

#include "http/response_head.h"

namespace det::proxy {
namespace {

constexpr std::string_view kLastChunk = "0\r\n\r\n";

void add_chunk(std::string& space, std::string_view data) {
  if (data.empty()) return;
  space.append(http::chunk_head(data.size())).append(data).append("\r\n");
}

}  // namespace

Result<BodyRelay::Step> BodyRelay::take(std::string_view bytes, std::string& space) {
  space.clear();
  if (is_done()) return Step();
  if (kind_ == BodyKind::kChunked) {
    Step step;
    while (step.used < bytes.size() && !chunks_.is_done()) {
      const auto piece = chunks_.next(bytes.substr(step.used));
      DET_TRY(piece);
      step.used += piece->used;
      if (sends_chunks_) {
        add_chunk(space, piece->data);
      } else {
        space.append(piece->data);
      }
    }
    is_finished_ = chunks_.is_done();
    if (is_finished_ && sends_chunks_) space.append(kLastChunk);
    step.send = space;
    return step;
  }
  if (kind_ == BodyKind::kLength) {
    bytes = bytes.substr(0, at_most(bytes.size()));
    left_ -= bytes.size();
    is_finished_ = left_ == 0;
  }
  if (!sends_chunks_) return Step{.used = bytes.size(), .send = bytes};
  add_chunk(space, bytes);
  if (is_finished_) space.append(kLastChunk);
  return Step{.used = bytes.size(), .send = space};
}

Result<std::string_view> BodyRelay::finish() {
  if (is_done()) return std::string_view();
  if (kind_ != BodyKind::kUntilClose) return fail(ErrorCode::kUnavailable, "the body ended before its end");
  is_finished_ = true;
  return sends_chunks_ ? kLastChunk : std::string_view();
}

}  // namespace det::proxy
