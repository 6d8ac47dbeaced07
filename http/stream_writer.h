#pragma once

// Writes to a Beast stream, with a deadline for each piece. A detail of http/session.cc, for both kinds of streams.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/stream_traits.hpp>
#include <boost/beast/core/tcp_stream.hpp>

#include "base/async.h"
#include "http/server.h"

namespace det::http {

inline constexpr std::size_t kWritePiece = std::size_t{256} << 10;

// False from a write: the connection is gone.
template <typename Stream>
class StreamWriter {
 public:
  StreamWriter(Stream& stream, const ServerOptions& options) : stream_(stream), options_(options) {}

  Task<bool> write(std::string_view bytes) {
    bool is_open = true;
    while (!bytes.empty() && is_open) {
      const std::string_view piece = bytes.substr(0, kWritePiece);
      const std::array<asio::const_buffer, 1> parts = {asio::buffer(piece)};
      is_open = co_await write_parts(parts);
      bytes.remove_prefix(piece.size());
    }
    co_return is_open;
  }

  // One after another: in one write where they are short, else piece by piece.
  template <std::size_t N>
  Task<bool> write_all(std::array<std::string_view, N> texts) {
    const auto is_long = [](std::string_view text) { return text.size() > kWritePiece; };
    if (std::ranges::none_of(texts, is_long)) {
      std::array<asio::const_buffer, N> parts;
      std::ranges::transform(texts, parts.begin(), [](std::string_view text) { return asio::buffer(text); });
      co_return co_await write_parts(parts);
    }
    for (const std::string_view text : texts) {
      if (!co_await write(text)) co_return false;
    }
    co_return true;
  }

 private:
  template <std::size_t N>
  Task<bool> write_parts(std::array<asio::const_buffer, N> parts) {
    if constexpr (kIsTls && N > 1) {
      // Beast's TLS stream ends a write of several buffers early, without an error, when one of them is longer than a
      // TLS record (16 KB) and the ones before it are short. One buffer is also fewer records.
      std::string joined;
      for (const auto& part : parts) joined.append(static_cast<const char*>(part.data()), part.size());
      co_return co_await write(joined);
    }
    if constexpr (!kIsTls) {
      if (write_at_once(parts)) co_return true;
    }
    boost::system::error_code ec;
    boost::beast::get_lowest_layer(stream_).expires_after(options_.io_timeout);
    co_await asio::async_write(stream_, parts, asio::redirect_error(asio::use_awaitable, ec));
    co_return !ec;
  }

  static constexpr bool kIsTls = !std::is_same_v<Stream, boost::beast::tcp_stream>;
  Stream& stream_;
  const ServerOptions& options_;

  // What the socket takes at once costs no timer and no trip through the reactor, and most answers are small. True when
  // that was all; otherwise `parts` is what is left, errors included: the next write reports them.
  template <std::size_t N>
  bool write_at_once(std::array<asio::const_buffer, N>& parts) {
    boost::system::error_code ignored;
    std::size_t sent = boost::beast::get_lowest_layer(stream_).socket().write_some(parts, ignored);
    for (auto& part : parts) {
      const std::size_t taken = std::min(sent, part.size());
      part += taken;
      sent -= taken;
    }
    return asio::buffer_size(parts) == 0;
  }
};

}  // namespace det::http
