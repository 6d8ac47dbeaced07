#pragma once

// Cuts a stream of bytes into lines as the bytes come, however they are chunked. Plain value.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace det::k8s {

class LineSplitter {
 public:
  enum class End : std::uint8_t { kMore, kStopped, kTooLong };

  explicit LineSplitter(std::size_t max_line) : max_line_(max_line) {}

  // Calls `on_line` for each line that is complete, without its "\n" (or "\r\n"); empty lines are left out. kStopped
  // when on_line returned false, kTooLong when a line is longer than the maximum; nothing must be fed after either.
  End feed(std::string_view bytes, const std::function<bool(std::string_view)>& on_line);
  // Bytes of a line that has begun.
  [[nodiscard]] std::size_t pending() const { return partial_.size(); }

 private:
  std::size_t max_line_;
  std::string partial_;
};

}  // namespace det::k8s
