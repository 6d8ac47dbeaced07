#pragma once

// Reads requests from a Beast stream: the head, then the body, small ones into memory, others through memory onto disk.
// A detail of http/session.cc, for both kinds of streams. What Beast's composed reads would do is done here in a loop:
// usually one read brings a whole request, which then costs no further trip through the executor.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/stream_traits.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>

#include "base/async.h"
#include "http/body_budget.h"
#include "http/message.h"
#include "http/server.h"

namespace det::http {

namespace beast = boost::beast;
namespace bhttp = boost::beast::http;
using HeadParser = bhttp::request_parser<bhttp::empty_body>;

[[nodiscard]] inline bool has_body(HeadParser& head) {
  const auto length = head.content_length();
  return (length && *length > 0) || head.chunked();
}

[[nodiscard]] inline Status no_room() {
  return fail(ErrorCode::kResourceExhausted, "too many uploads at once; try again");
}

template <typename Stream>
class RequestReader {
 public:
  RequestReader(Stream& stream, beast::flat_buffer& buffer, const ServerOptions& options, asio::thread_pool& pool)
      : stream_(stream), buffer_(buffer), options_(options), pool_(pool) {}

  // Waits for a request as long as a connection may be idle, a stranger's only `header_timeout`; from its first byte on
  // the head has `header_timeout`.
  Task<boost::system::error_code> read_head(HeadParser& head, bool is_stranger) {
    std::optional<std::chrono::steady_clock::time_point> deadline;
    const auto patience =
        is_stranger ? std::min(options_.idle_timeout, options_.header_timeout) : options_.idle_timeout;
    const auto idle_until = std::chrono::steady_clock::now() + patience;
    for (;;) {
      boost::system::error_code ec;
      if (buffer_.size() > 0) {
        if (!deadline) deadline = std::chrono::steady_clock::now() + options_.header_timeout;
        buffer_.consume(head.put(buffer_.data(), ec));
        if (ec != bhttp::error::need_more) co_return ec;
        ec = {};
      }
      const auto until = deadline.value_or(idle_until);
      beast::get_lowest_layer(stream_).expires_at(until);
      const std::size_t got =
          co_await stream_.async_read_some(buffer_.prepare(kReadAhead), asio::redirect_error(asio::use_awaitable, ec));
      buffer_.commit(got);
      if (ec) co_return ec;
    }
  }

  // A body of `length` bytes, into memory.
  Task<boost::system::error_code> read_small(std::size_t length, Request& request) {
    std::string text;
    // The bytes beyond what has come are overwritten by the reads below. libstdc++ 12 hands out the capacity as the
    // size.
    text.resize_and_overwrite(length, [this, length](char* to, std::size_t) {
      asio::buffer_copy(asio::buffer(to, length), buffer_.data());
      return length;
    });
    std::size_t have = std::min(length, buffer_.size());
    buffer_.consume(have);
    boost::system::error_code ec;
    BodyClock clock(options_);
    while (have < length && !ec) {
      beast::get_lowest_layer(stream_).expires_at(clock.deadline());
      const std::size_t got = co_await stream_.async_read_some(asio::buffer(text.data() + have, length - have),
                                                               asio::redirect_error(asio::use_awaitable, ec));
      clock.came(got);
      have += got;
    }
    request.body = Body(std::move(text));
    co_return ec;
  }

  // Errors of the disk come back as the Status, those of the peer in `ec`. `head` is used up.
  // For a body of unknown or large size.
  Task<Status> read_large(HeadParser& head, std::size_t limit, Request& request, BodyBudget::Share& share,
                          boost::system::error_code& ec) {
    bhttp::request_parser<bhttp::buffer_body> parser(std::move(head));
    parser.body_limit(limit);
    std::string piece(kPiece, '\0');
    std::string text;
    const bool may_stay = share.keep_in_memory(options_.spool_above);
    BodyClock clock(options_);
    while (!parser.is_done()) {
      parser.get().body().data = piece.data();
      parser.get().body().size = piece.size();
      beast::get_lowest_layer(stream_).expires_at(clock.deadline());
      co_await bhttp::async_read(stream_, buffer_, parser, asio::redirect_error(asio::use_awaitable, ec));
      if (ec == bhttp::error::need_buffer) ec = {};
      if (ec) co_return Status();
      const std::size_t got = piece.size() - parser.get().body().size;
      clock.came(got);
      if (!share.grow(got)) co_return no_room();
      text.append(piece.data(), got);
      if (text.size() <= (may_stay ? options_.spool_above : kPiece)) continue;
      const Status spilled = co_await spill(text);
      if (!spilled) co_return spilled;
      text.clear();
    }
    if (!file_) {
      request.body = Body(std::move(text));
      co_return Status();
    }
    Status done = co_await spill(text);
    if (done) done = file_->finish();
    request.body = Body(std::shared_ptr<const SpoolFile>(std::move(file_)));
    co_return done;
  }

 private:
  static constexpr std::size_t kReadAhead = 8192;  // holds most requests; Beast alone would read 1.5 KB at a time
  static constexpr std::size_t kPiece = std::size_t{64} << 10;

  // How long a body is waited for. What has come earns time for the rest, but never more than `body_stall`: else a body
  // that came quickly could stand still for hours, with all it holds.
  class BodyClock {
   public:
    explicit BodyClock(const ServerOptions& options) : options_(options), left_(options.body_grace) {}
    // Until when the next bytes must come; from now on they are waited for.
    [[nodiscard]] std::chrono::steady_clock::time_point deadline() {
      since_ = std::chrono::steady_clock::now();
      return since_ + std::min<std::chrono::nanoseconds>(left_, options_.io_timeout);
    }
    void came(std::size_t bytes) {
      left_ -= std::chrono::steady_clock::now() - since_;
      left_ += std::chrono::microseconds(bytes * 1'000'000 / options_.body_rate);
      left_ = std::min<std::chrono::nanoseconds>(left_, std::max(options_.body_grace, options_.body_stall));
    }

   private:
    const ServerOptions& options_;
    std::chrono::nanoseconds left_;
    std::chrono::steady_clock::time_point since_;
  };

  Task<Status> spill(const std::string& text) {
    auto work = [this, &text]() -> Status {
      if (!file_) {
        auto created = SpoolFile::create(options_.spool_directory);
        DET_TRY(created);
        file_ = std::move(*created);
      }
      return file_->append(text);
    };
    co_return co_await run_on(pool_, work);
  }

  Stream& stream_;
  beast::flat_buffer& buffer_;
  const ServerOptions& options_;
  asio::thread_pool& pool_;
  std::shared_ptr<SpoolFile> file_;
};

}  // namespace det::http
