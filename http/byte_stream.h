#pragma once

// A connection as bytes, plain or TLS, for those who forward them: what can be done at once is done without a
// coroutine, and waiting holds no buffer. Nothing here has a time limit: who waits is watched by somebody else, who
// calls close(). Belongs to the io thread. One coroutine reads, one writes.

#include <cstddef>
#include <string_view>

#include <boost/system/error_code.hpp>

#include "base/task.h"

namespace det::http {

class ByteStream {
 public:
  virtual ~ByteStream() = default;

  // Up to `size` bytes of what has come. 0 with would_block: nothing has; with eof: the peer sends no more.
  virtual std::size_t read_now(char* to, std::size_t size, boost::system::error_code& ec) = 0;
  // Returns when read_now() has something to say. An error: the connection is gone.
  virtual Task<boost::system::error_code> wait_readable() = 0;
  // Sends what goes at once, perhaps nothing; errors are told by write().
  virtual std::size_t write_now(std::string_view bytes) = 0;
  // Sends all of it; `bytes` stay where they are until then.
  virtual Task<boost::system::error_code> write(std::string_view bytes) = 0;

  // No more bytes from here; the peer may go on sending.
  virtual void finish_writing() = 0;
  // Ends all waits with an error.
  virtual void close() = 0;
  [[nodiscard]] virtual bool is_open() const = 0;
  // The peer sends no more, or is gone, though nobody has read up to there.
  [[nodiscard]] virtual bool has_hung_up() const = 0;
  // For hours of silence: memory that is not needed is given up, and the kernel asks now and then whether the peer is
  // still there.
  virtual void settle() = 0;
};

}  // namespace det::http
