#include "base/log.h"

#include <cstdlib>
#include <memory>

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "base/log_level.h"
#include "base/printable.h"
#include "base/recent_log.h"

namespace det {
namespace {

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarn:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

// key=value as logfmt has it: quoted when a reader could not tell where the value ends. What would move a terminal's
// cursor is an escape: values quote what strangers wrote.
void append_field(std::string& line, const LogField& field) {
  line += ' ';
  line += field.key;
  line += '=';
  const bool plain = !field.value.empty() && field.value.find_first_of(" \"=\n\r\t") == std::string::npos;
  if (plain) {
    line += printable(field.value);
    return;
  }
  std::string quoted;
  for (const char c : field.value) {
    switch (c) {
      case '"':
        quoted += "\\\"";
        break;
      case '\\':
        quoted += "\\\\";
        break;
      case '\n':
        quoted += "\\n";
        break;
      case '\r':
        quoted += "\\r";
        break;
      case '\t':
        quoted += "\\t";
        break;
      default:
        quoted += c;
    }
  }
  line += '"' + printable(quoted) + '"';
}

}  // namespace

Logger::Logger(std::string_view component) : component_(component) {}

Logger Logger::with(LogField field) const {
  Logger copy = *this;
  copy.fields_.push_back(std::move(field));
  return copy;
}

void Logger::debug(std::string_view message, const LogFields& fields) const {
  write(LogLevel::kDebug, message, fields);
}
void Logger::info(std::string_view message, const LogFields& fields) const {
  write(LogLevel::kInfo, message, fields);
}
void Logger::warn(std::string_view message, const LogFields& fields) const {
  write(LogLevel::kWarn, message, fields);
}
void Logger::error(std::string_view message, const LogFields& fields) const {
  write(LogLevel::kError, message, fields);
}

void Logger::write(LogLevel level, std::string_view message, const LogFields& fields) const {
  if (!log_enabled(level)) return;
  std::string line = component_;
  line += ": ";
  line += message;
  for (const auto& field : fields_) append_field(line, field);
  for (const auto& field : fields) append_field(line, field);
  spdlog::default_logger_raw()->log(to_spdlog(level), "{}", line);
  keep_recent_line(level, line);
}

void configure_logging(LogLevel level, const std::string& file) {
  std::shared_ptr<spdlog::sinks::sink> sink;
  if (file.empty()) {
    sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  } else {
    sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file);
  }
  auto logger = std::make_shared<spdlog::logger>("det", std::move(sink));
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%fZ %l %v", spdlog::pattern_time_type::utc);
  logger->set_level(to_spdlog(level));
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
}

void set_log_level(LogLevel level) {
  spdlog::default_logger_raw()->set_level(to_spdlog(level));
}

bool log_enabled(LogLevel level) {
  return spdlog::default_logger_raw()->should_log(to_spdlog(level));
}

void log_fatal(std::string_view message, const LogFields& fields) {
  Logger("fatal").error(message, fields);
  spdlog::default_logger_raw()->flush();
  std::abort();
}

}  // namespace det
