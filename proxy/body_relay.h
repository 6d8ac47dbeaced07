#pragma once

// A body on its way from one connection to another: finds its end, and frames it anew where the other side needs that.
// Pure.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "proxy/chunk_decoder.h"
#include "proxy/response_head.h"

namespace det::proxy {

class BodyRelay {
 public:
  // What comes is framed as `framing` says; what goes is chunks, or the bytes alone.
  BodyRelay(BodyFraming framing, bool sends_chunks)
      : kind_(framing.kind), left_(framing.length), sends_chunks_(sends_chunks) {}

  struct Step {
    std::size_t used = 0;   // of the bytes that came
    std::string_view send;  // a part of the bytes that came, or of `space`
  };
  // `space` is overwritten. kInvalidArgument: chunks that are none.
  [[nodiscard]] Result<Step> take(std::string_view bytes, std::string& space);
  // The source has closed. What is to be sent at last; kUnavailable: there should have been more.
  [[nodiscard]] Result<std::string_view> finish();

  [[nodiscard]] bool is_done() const { return is_finished_ || kind_ == BodyKind::kNone; }
  // How many bytes may be read at once so that none belongs to somebody else, where that can be told.
  [[nodiscard]] std::size_t at_most(std::size_t size) const {
    return kind_ == BodyKind::kLength && left_ < size ? static_cast<std::size_t>(left_) : size;
  }

 private:
  BodyKind kind_;
  std::uint64_t left_;
  bool sends_chunks_;
  bool is_finished_ = false;
  ChunkDecoder chunks_;
};

}  // namespace det::proxy
