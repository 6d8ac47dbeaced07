#pragma once

// A libpq connection for those who need more than libpqxx gives: binary arrays (the hot writers) and asynchronous
// notifications. Blocking; one thread at a time. For .cc files only: it shows libpq.

#include <memory>
#include <string>
#include <vector>

#include <libpq-fe.h>

#include "base/result.h"

namespace det::pg {

struct PgDeleter {
  void operator()(PGconn* connection) const { PQfinish(connection); }
  void operator()(PGresult* result) const { PQclear(result); }
};
using ResultHandle = std::unique_ptr<PGresult, PgDeleter>;

class RawConnection {
 public:
  // kUnavailable when there is nobody, kPermissionDenied when the user may not.
  [[nodiscard]] static Result<RawConnection> open(const std::string& url, const std::string& application_name);

  // One or more statements without parameters.
  Status execute(const std::string& sql);
  Status prepare(const std::string& name, const std::string& sql);
  // Parameters in binary format; results come in text. Errors as code_of_sqlstate says; is_lost() tells a broken
  // connection.
  Result<ResultHandle> run_prepared(const std::string& name, const std::vector<std::string>& binary_parameters);

  [[nodiscard]] bool is_lost() const { return PQstatus(handle_.get()) != CONNECTION_OK; }
  [[nodiscard]] PGconn* handle() const { return handle_.get(); }

 private:
  explicit RawConnection(PGconn* handle) : handle_(handle) {}
  Result<ResultHandle> check(PGresult* result);
  std::unique_ptr<PGconn, PgDeleter> handle_;
};

[[nodiscard]] inline int row_count(const ResultHandle& result) {
  return PQntuples(result.get());
}

// How many rows an INSERT, UPDATE or DELETE wrote.
[[nodiscard]] inline std::size_t written_rows(const ResultHandle& result) {
  return std::stoul(PQcmdTuples(result.get()));
}

// Text of a field; empty for NULL.
[[nodiscard]] inline std::string field(const ResultHandle& result, int row, int column) {
  return {PQgetvalue(result.get(), row, column), static_cast<std::size_t>(PQgetlength(result.get(), row, column))};
}

}  // namespace det::pg
