#include "proxy/chunk_decoder.h"

#include <algorithm>

namespace det::proxy {
namespace {

constexpr int kMaxDigits = 15;
constexpr std::size_t kMaxAround = 16384;

// A line break inside a line, or a control character.
bool is_odd(char c) {
  return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
}

}  // namespace

Result<ChunkDecoder::Piece> ChunkDecoder::next(std::string_view input) {
  Piece piece;
  while (piece.used < input.size() && state_ != State::kDone) {
    if (state_ == State::kData) {
      const std::size_t size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, input.size() - piece.used));
      piece.data = input.substr(piece.used, size);
      piece.used += size;
      left_ -= size;
      if (left_ == 0) state_ = State::kDataEnd;
      return piece;
    }
    if (!step(input[piece.used])) return fail(ErrorCode::kInvalidArgument, "the body's chunks are malformed");
    ++piece.used;
  }
  return piece;
}

bool ChunkDecoder::take_digit(char c) {
  int digit = 0;
  if (c >= '0' && c <= '9') {
    digit = c - '0';
  } else if (c >= 'a' && c <= 'f') {
    digit = c - 'a' + 10;
  } else if (c >= 'A' && c <= 'F') {
    digit = c - 'A' + 10;
  } else {
    return false;
  }
  left_ = left_ * 16 + static_cast<std::uint64_t>(digit);
  return ++digits_ <= kMaxDigits;
}

// False: that may not stand here.
bool ChunkDecoder::step(char c) {
  const auto go = [this](State state) {
    state_ = state;
    return true;
  };
  switch (state_) {
    case State::kSize:
      if (digits_ > 0 && c == '\r') return go(State::kSizeEnd);
      if (digits_ > 0 && c == ';') return go(State::kExtension);
      return take_digit(c);
    case State::kExtension:
      if (c == '\r') return go(State::kSizeEnd);
      return !is_odd(c) && ++around_ <= kMaxAround;
    case State::kSizeEnd:
      digits_ = 0;
      around_ = 0;
      return c == '\n' && go(left_ > 0 ? State::kData : State::kLine);
    case State::kDataEnd:
      return c == '\r' && go(State::kDataEnd2);
    case State::kDataEnd2:
      return c == '\n' && go(State::kSize);
    case State::kLine:
      if (c == '\r') return go(State::kLastEnd);
      return !is_odd(c) && ++around_ <= kMaxAround && go(State::kTrailer);
    case State::kTrailer:
      if (c == '\r') return go(State::kTrailerEnd);
      return !is_odd(c) && ++around_ <= kMaxAround;
    case State::kTrailerEnd:
      return c == '\n' && go(State::kLine);
    case State::kLastEnd:
      return c == '\n' && go(State::kDone);
    case State::kData:
    case State::kDone:
      break;
  }
  return false;
}

}  // namespace det::proxy
