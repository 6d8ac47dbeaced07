#pragma once

// Reads a body in chunks (RFC 9112, 7.1), strictly: what another reader could take for something else is an error.
// Extensions and trailers are passed over. Pure.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace det::proxy {

class ChunkDecoder {
 public:
  struct Piece {
    std::size_t used = 0;   // bytes of the input that are done with
    std::string_view data;  // of the body, a part of the input; may be empty
  };
  // The next piece of `input`, which is not empty; not after the end. kInvalidArgument: no chunks, or too much around
  // them.
  [[nodiscard]] Result<Piece> next(std::string_view input);
  [[nodiscard]] bool is_done() const { return state_ == State::kDone; }

 private:
  enum class State : std::uint8_t {
    kSize,
    kExtension,
    kSizeEnd,
    kData,
    kDataEnd,
    kDataEnd2,
    kLine,
    kTrailer,
    kTrailerEnd,
    kLastEnd,
    kDone
  };
  [[nodiscard]] bool step(char c);
  [[nodiscard]] bool take_digit(char c);

  State state_ = State::kSize;
  std::uint64_t left_ = 0;  // of the chunk
  int digits_ = 0;
  std::size_t around_ = 0;  // bytes of this chunk's extension, or of all trailers
};

}  // namespace det::proxy
