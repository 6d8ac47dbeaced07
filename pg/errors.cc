#include "pg/errors.h"

namespace det::pg {

ErrorCode code_of_sqlstate(std::string_view sqlstate) {
  if (sqlstate.size() != 5) return ErrorCode::kUnavailable;
  if (sqlstate == "23505") return ErrorCode::kAlreadyExists;
  if (sqlstate == "40001" || sqlstate == "40P01") return ErrorCode::kAborted;
  if (sqlstate == "57014") return ErrorCode::kDeadlineExceeded;  // statement timeout
  if (sqlstate == "25006") return ErrorCode::kUnavailable;       // read only: a standby before its promotion
  if (sqlstate == "55P03") return ErrorCode::kUnavailable;       // a lock was not to be had in time
  if (sqlstate == "42501") return ErrorCode::kPermissionDenied;
  if (sqlstate.starts_with("28") || sqlstate == "3D000") return ErrorCode::kPermissionDenied;
  if (sqlstate == "42P01") return ErrorCode::kUnavailable;  // no such table: the schema's migrations have yet to run
  const std::string_view kind = sqlstate.substr(0, 2);
  if (kind == "08" || kind == "53" || kind == "57" || kind == "58") return ErrorCode::kUnavailable;
  if (kind == "22") return ErrorCode::kInvalidArgument;
  if (kind == "23") return ErrorCode::kFailedPrecondition;
  return ErrorCode::kInternal;
}

Error error_of(std::string_view sqlstate, std::string_view server_message) {
  std::string_view line = server_message.substr(0, server_message.find('\n'));
  for (const std::string_view prefix : {"ERROR:  ", "FATAL:  "}) {
    if (line.starts_with(prefix)) line.remove_prefix(prefix.size());
  }
  std::string message(line);
  if (message.empty()) message = "the database connection was lost";
  // A standby lets sessions in, and refuses BEGIN READ WRITE as something that it does not know.
  const bool is_standby = sqlstate == "0A000" && message.ends_with("during recovery");
  const ErrorCode code = is_standby ? ErrorCode::kUnavailable : code_of_sqlstate(sqlstate);
  return Error{.code = code, .message = "database: " + message, .field = {}, .retry_after = {}};
}

}  // namespace det::pg
