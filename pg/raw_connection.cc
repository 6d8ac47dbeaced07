#include "pg/raw_connection.h"

#include "pg/connection_info.h"
#include "pg/errors.h"

namespace det::pg {
namespace {

// A notice is not an error, and libpq would print it to stderr.
void ignore_notice(void*, const PGresult*) {}

}  // namespace

Result<RawConnection> RawConnection::open(const std::string& url, const std::string& application_name) {
  const auto info = connection_info(url, application_name, std::chrono::seconds(5));
  DET_TRY(info);
  RawConnection connection(PQconnectdb(info->c_str()));
  if (connection.is_lost()) return std::unexpected(error_of({}, PQerrorMessage(connection.handle_.get())));
  PQsetNoticeReceiver(connection.handle_.get(), ignore_notice, nullptr);
  if (Status status = connection.execute(session_settings(std::chrono::seconds(30))); !status) {
    return std::unexpected(std::move(status).error());
  }
  return connection;
}

Result<ResultHandle> RawConnection::check(PGresult* raw) {
  ResultHandle result(raw);
  const ExecStatusType status = PQresultStatus(result.get());
  if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) return result;
  const char* sqlstate = result ? PQresultErrorField(result.get(), PG_DIAG_SQLSTATE) : nullptr;
  return std::unexpected(error_of(sqlstate == nullptr ? "" : sqlstate, PQerrorMessage(handle_.get())));
}

Status RawConnection::execute(const std::string& sql) {
  auto result = check(PQexec(handle_.get(), sql.c_str()));
  DET_TRY(result);
  return {};
}

Status RawConnection::prepare(const std::string& name, const std::string& sql) {
  auto result = check(PQprepare(handle_.get(), name.c_str(), sql.c_str(), 0, nullptr));
  DET_TRY(result);
  return {};
}

Result<ResultHandle> RawConnection::run_prepared(const std::string& name,
                                                 const std::vector<std::string>& binary_parameters) {
  std::vector<const char*> values;
  std::vector<int> lengths;
  for (const std::string& parameter : binary_parameters) {
    values.push_back(parameter.data());
    lengths.push_back(static_cast<int>(parameter.size()));
  }
  const std::vector<int> formats(values.size(), 1);
  return check(PQexecPrepared(handle_.get(), name.c_str(), static_cast<int>(values.size()), values.data(),
                              lengths.data(), formats.data(), 0));
}

}  // namespace det::pg
