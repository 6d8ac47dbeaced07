#include "api/pages/text_stream.h"

#include <cstddef>
#include <string>

namespace det::api {

namespace {

// What slow readers make the server hold of a text at once.
constexpr std::size_t kPieceBytes = std::size_t{32} << 10;

Task<void> write_text(std::string_view text, http::Writer& writer) {
  for (std::size_t at = 0; at < text.size(); at += kPieceBytes) {
    if (!co_await writer.write(std::string(text.substr(at, kPieceBytes)))) co_return;
  }
}

}  // namespace

http::StreamBody stream_of(std::string_view text) {
  return [text](http::Writer& writer) { return write_text(text, writer); };
}

}  // namespace det::api
