#include "http/websocket_frames.h"

#include "base/encoding.h"

namespace det::http {
namespace {

constexpr std::size_t kMaxControl = 125;

bool is_control(unsigned opcode) {
  return (opcode & 8U) != 0;
}

std::string head_of(Opcode opcode, std::size_t size) {
  std::string head(1, static_cast<char>(0x80U | static_cast<unsigned>(opcode)));
  int bytes = 0;
  if (size < 126) {
    head.push_back(static_cast<char>(size));
  } else {
    bytes = size < 65536 ? 2 : 8;
    head.push_back(static_cast<char>(bytes == 2 ? 126 : 127));
  }
  for (int i = bytes - 1; i >= 0; --i) {
    head.push_back(static_cast<char>((static_cast<std::uint64_t>(size) >> (8 * static_cast<unsigned>(i))) & 0xffU));
  }
  return head;
}

}  // namespace

bool is_websocket_key(std::string_view key) {
  const auto bytes = base64_decode(key);
  return bytes && bytes->size() == 16;
}

std::string websocket_handshake(std::string_view key) {
  return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " +
         accept_of(key) + "\r\n\r\n";
}

std::string accept_of(std::string_view key) {
  return base64_encode(sha1(std::string(key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"));
}

std::string frame(Opcode opcode, std::string_view payload) {
  return head_of(opcode, payload.size()).append(payload);
}

std::string binary_frame_head(std::size_t size) {
  return head_of(Opcode::kBinary, size);
}

std::string close_frame(int status, std::string_view reason) {
  const std::string code = {static_cast<char>(status >> 8), static_cast<char>(status & 0xff)};
  return frame(Opcode::kClose, code + std::string(reason));
}

// As far as what has come of it tells.
std::size_t FrameReader::header_size() const {
  if (have_ < 2) return 2;
  const unsigned length = header_[1] & 0x7fU;
  return 6U + (length == 126 ? 2U : length == 127 ? 8U : 0U);
}

bool FrameReader::read_header() {
  const bool is_final = (header_[0] & 0x80U) != 0;
  const unsigned opcode = header_[0] & 0x0fU;
  const bool is_masked = (header_[1] & 0x80U) != 0;
  const bool is_extended = (header_[0] & 0x70U) != 0;
  if ((is_extended && role_ == Role::kServer) || !is_masked) return false;
  left_ = header_[1] & 0x7fU;
  std::size_t at = 2;
  if (left_ >= 126) {
    const std::size_t end = left_ == 126 ? 4 : 10;
    for (left_ = 0; at < end; ++at) left_ = left_ << 8U | header_[at];
    if ((left_ >> 63U) != 0) return false;
  }
  std::copy_n(header_.begin() + static_cast<std::ptrdiff_t>(at), 4, mask_.begin());
  masked_ = 0;
  if (is_control(opcode)) {
    if (opcode > 10 || !is_final || left_ > kMaxControl) return false;
    opcode_ = static_cast<Opcode>(opcode);
    return true;
  }
  if (opcode > 2) return false;
  const bool continues = opcode == 0;
  if (continues == (message_ == Opcode::kContinuation)) return false;
  if (!continues) message_ = static_cast<Opcode>(opcode);
  opcode_ = message_;
  if (is_final) message_ = Opcode::kContinuation;
  return true;
}

void FrameReader::unmask(char* bytes, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<char>(static_cast<unsigned char>(bytes[i]) ^ mask_[(masked_ + i) % 4]);
  }
  masked_ = (masked_ + size) % 4;
}

}  // namespace det::http
