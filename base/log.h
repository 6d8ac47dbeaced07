#pragma once

// Structured log lines: log.info("trial started", {{"experiment", id}}). Past tense, key=value; error = someone must
// act, warn = odd but handled, info = life of user objects, debug = why. Never tokens, passwords or pod environments.
// Any thread may log.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace det {

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarn, kError };

// One key=value pair; numbers and booleans are printed as they are.
struct LogField {
  std::string key;
  std::string value;

  LogField(std::string_view k, std::string_view v) : key(k), value(v) {}
  LogField(std::string_view k, const char* v) : key(k), value(v) {}
  LogField(std::string_view k, const std::string& v) : key(k), value(v) {}
  LogField(std::string_view k, bool v) : key(k), value(v ? "true" : "false") {}
  template <typename N>
    requires(std::is_arithmetic_v<N> && !std::is_same_v<N, bool>)
  LogField(std::string_view k, N v) : key(k), value(std::to_string(v)) {}
};

using LogFields = std::vector<LogField>;

// A logger carries fields that every line of it repeats: the component, an id per request or reconcile.
class Logger {
 public:
  explicit Logger(std::string_view component);
  // The same logger with one more field on every line.
  [[nodiscard]] Logger with(LogField field) const;

  void debug(std::string_view message, const LogFields& fields = {}) const;
  void info(std::string_view message, const LogFields& fields = {}) const;
  void warn(std::string_view message, const LogFields& fields = {}) const;
  void error(std::string_view message, const LogFields& fields = {}) const;

 private:
  void write(LogLevel level, std::string_view message, const LogFields& fields) const;
  std::string component_;
  LogFields fields_;
};

// Called once by main. `file` empty: stderr.
void configure_logging(LogLevel level, const std::string& file = {});
[[nodiscard]] bool log_enabled(LogLevel level);
// Writes the line and aborts: the program is wrong and must not go on.
[[noreturn]] void log_fatal(std::string_view message, const LogFields& fields = {});

}  // namespace det
