#pragma once

// The log of one container attempt: a file with one line per line of output, "2026-11-21T02:00:00.000000Z F text". The
// tag is F for a whole line and P for a part of one (longer than 16 KiB, or the last without a newline). The shim
// writes it, the log server reads it.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace det::local {

// Cuts a stream of output into log lines. Pure.
class LogLines {
 public:
  // The log lines that `bytes`, which arrived at `now`, complete.
  [[nodiscard]] std::string add(std::string_view bytes, WallTime now);
  // What remains when the output has ended.
  [[nodiscard]] std::string finish(WallTime now);

 private:
  std::string rest_;
};

// What `kubectl logs` can ask for.
struct PodLogQuery {
  bool follow = false;
  bool previous = false;
  bool timestamps = false;
  std::optional<std::int64_t> tail_lines;
  std::optional<std::int64_t> limit_bytes;
  std::optional<WallTime> since;
};

// Turns log lines back into what the container wrote, as the query wants it. Feed the file's bytes in any pieces.
class PodLogFilter {
 public:
  explicit PodLogFilter(PodLogQuery query) : query_(query) {}
  [[nodiscard]] std::string feed(std::string_view bytes);
  // True when limitBytes is used up: nothing more will come.
  [[nodiscard]] bool is_full() const { return query_.limit_bytes && sent_ >= *query_.limit_bytes; }

 private:
  void line(std::string_view line, std::string& out);
  PodLogQuery query_;
  std::string rest_;
  bool inside_line_ = false;
  std::int64_t sent_ = 0;
};

// Where in the file the last `lines` whole lines begin. Reads backwards; 0 when there are fewer.
[[nodiscard]] std::uint64_t tail_offset(int fd, std::int64_t lines);

// How many whole lines the file holds.
[[nodiscard]] std::int64_t count_lines(int fd);

}  // namespace det::local
