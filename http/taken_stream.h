#pragma once

// The client's side of a session's connection while a handler has taken it over. A detail of http/session.cc, for both
// kinds of streams.

#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>

#include "http/socket_stream.h"
#include "http/takeover.h"

namespace det::http {

template <typename Stream>
class TakenStream final : public SocketStream<Stream, !std::is_same_v<Stream, boost::beast::tcp_stream>, ClientStream> {
  using Base = SocketStream<Stream, !std::is_same_v<Stream, boost::beast::tcp_stream>, ClientStream>;
  using error_code = boost::system::error_code;

 public:
  // `buffer` holds what was read behind the request's head.
  TakenStream(Stream& stream, asio::ip::tcp::socket& socket, boost::beast::flat_buffer& buffer,
              std::function<void(bool)> set_cuttable)
      : Base(stream, socket), buffer_(buffer), set_cuttable_(std::move(set_cuttable)) {}

  std::size_t read_now(char* to, std::size_t size, error_code& ec) override {
    if (buffer_.size() == 0) return Base::read_now(to, size, ec);
    ec = {};
    const std::size_t taken = asio::buffer_copy(asio::buffer(to, size), buffer_.data());
    buffer_.consume(taken);
    return taken;
  }
  Task<error_code> wait_readable() override {
    if (buffer_.size() == 0) return Base::wait_readable();
    return nothing_to_wait_for();
  }
  void unread(std::string_view bytes) override {
    std::string all(bytes);
    all.append(static_cast<const char*>(buffer_.data().data()), buffer_.size());
    buffer_.clear();
    buffer_.commit(asio::buffer_copy(buffer_.prepare(all.size()), asio::buffer(all)));
  }
  // Once it has ended: what came behind the request goes back to where the next one is read from.
  void give_back() {
    const std::string_view rest = Base::left_over();
    buffer_.commit(asio::buffer_copy(buffer_.prepare(rest.size()), asio::buffer(rest)));
  }
  void set_cuttable(bool is_cuttable) override { set_cuttable_(is_cuttable); }
  void settle() override {
    Base::settle();
    buffer_.shrink_to_fit();
  }

 private:
  static Task<error_code> nothing_to_wait_for() { co_return error_code(); }

  boost::beast::flat_buffer& buffer_;
  std::function<void(bool)> set_cuttable_;
};

}  // namespace det::http
