#include "pg/connection_info.h"

#include <algorithm>
#include <map>
#include <memory>

#include <libpq-fe.h>

namespace det::pg {
namespace {

void append(std::string& info, std::string_view key, std::string_view value) {
  if (!info.empty()) info += ' ';
  info.append(key).append("='");
  for (const char c : value) {
    if (c == '\'' || c == '\\') info += '\\';
    info += c;
  }
  info += '\'';
}

}  // namespace

Result<std::string> connection_info(const std::string& url, std::string_view application_name,
                                    std::chrono::milliseconds connect_timeout) {
  char* reason = nullptr;
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> parsed(PQconninfoParse(url.c_str(), &reason),
                                                                            &PQconninfoFree);
  const std::unique_ptr<char, decltype(&PQfreemem)> owned_reason(reason, &PQfreemem);
  if (!parsed) {
    return fail(ErrorCode::kInvalidArgument, "is not a PostgreSQL URL; write postgres://user:password@host:5432/name",
                "database-url");
  }
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(connect_timeout).count();
  std::map<std::string, std::string, std::less<>> values{
      {"connect_timeout", std::to_string(std::max<std::int64_t>(seconds, 2))},
      {"application_name", std::string(application_name)},
      {"keepalives_idle", "15"},
      {"keepalives_interval", "5"},
      {"keepalives_count", "3"},
      {"tcp_user_timeout", "20000"},
      {"client_encoding", "UTF8"},
      // After a failover a name may lead to the old primary, which is a standby by then, for a while.
      {"target_session_attrs", "read-write"},
  };
  for (const PQconninfoOption* option = parsed.get(); option->keyword != nullptr; ++option) {
    if (option->val != nullptr) values[option->keyword] = option->val;
  }
  std::string info;
  for (const auto& [key, value] : values) append(info, key, value);
  return info;
}

std::string session_settings(std::chrono::milliseconds statement_timeout) {
  return "SET TimeZone = 'UTC'; SET DateStyle = 'ISO, YMD'; SET idle_in_transaction_session_timeout = '60s'; "
         // Our statements are short: compiling one takes longer than running it.
         "SET jit = off; "
         "SET statement_timeout = " +
         std::to_string(statement_timeout.count());
}

}  // namespace det::pg
