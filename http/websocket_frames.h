#pragma once

// Frames of websockets (RFC 6455, 5): reads those of a client piece by piece, makes those of a server. Pure.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace det::http {

enum class Opcode : std::uint8_t {
  kContinuation = 0,
  kText = 1,
  kBinary = 2,
  kClose = 8,
  kPing = 9,
  kPong = 10,
};

// Of Sec-WebSocket-Key: 16 bytes as base64.
[[nodiscard]] bool is_websocket_key(std::string_view key);
// The answer with which the connection becomes a websocket.
[[nodiscard]] std::string websocket_handshake(std::string_view key);
// What Sec-WebSocket-Accept says to a Sec-WebSocket-Key.
[[nodiscard]] std::string accept_of(std::string_view key);

// A whole frame of a server; `payload` of a control frame is at most 125 bytes.
[[nodiscard]] std::string frame(Opcode opcode, std::string_view payload);
// What stands before `size` bytes of a binary frame.
[[nodiscard]] std::string binary_frame_head(std::size_t size);
// Close, with a status such as 1000 and a reason of at most 123 bytes.
[[nodiscard]] std::string close_frame(int status, std::string_view reason = {});

// Follows the frames of one client through the bytes that come from it.
class FrameReader {
 public:
  enum class Role : std::uint8_t {
    kServer,    // they are for us
    kOnlooker,  // they go on as they are: nothing is unmasked, and extensions are none of our business
  };
  explicit FrameReader(Role role) : role_(role) {}

  // Unmasks payloads in place (of a server) and calls `take(opcode, payload, is_end)` for each piece, with the
  // message's opcode for continuations; a frame without payload has one empty piece. False when the client breaks the
  // protocol: no more after that.
  template <typename Take>
  [[nodiscard]] bool feed(char* bytes, std::size_t size, Take take) {
    while (size > 0) {
      if (!has_head_) {
        header_[have_++] = static_cast<unsigned char>(*bytes);
        ++bytes;
        --size;
        if (have_ < header_size()) continue;
        if (!read_header()) return false;
        has_head_ = true;
      }
      const auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(left_, size));
      if (role_ == Role::kServer) unmask(bytes, piece);
      left_ -= piece;
      if (piece > 0 || left_ == 0) take(opcode_, std::string_view(bytes, piece), left_ == 0);
      bytes += piece;
      size -= piece;
      if (left_ > 0) break;
      has_head_ = false;
      have_ = 0;
    }
    return true;
  }
  // Whether more frames belong to the message whose last frame was begun; asked in `take`.
  [[nodiscard]] bool is_in_message() const { return message_ != Opcode::kContinuation; }

 private:
  [[nodiscard]] std::size_t header_size() const;
  [[nodiscard]] bool read_header();
  void unmask(char* bytes, std::size_t size);

  Role role_;
  std::array<unsigned char, 14> header_{};
  std::size_t have_ = 0;  // bytes of the header
  bool has_head_ = false;
  std::uint64_t left_ = 0;  // bytes of the payload
  std::array<unsigned char, 4> mask_{};
  std::size_t masked_ = 0;                  // bytes of the payload so far, modulo 4
  Opcode opcode_ = Opcode::kContinuation;   // of the frame's message
  Opcode message_ = Opcode::kContinuation;  // of the message that has begun; kContinuation: none
};

}  // namespace det::http
