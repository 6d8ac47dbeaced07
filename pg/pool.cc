#include "pg/pool.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include <pqxx/pqxx>

#include "base/check.h"
#include "base/log.h"
#include "base/mutex.h"
#include "pg/connection_info.h"
#include "pg/errors.h"
#include "pg/large_values.h"

namespace det::pg {
namespace {

constexpr int kConflictRetries = 5;
constexpr int kLostRetries = 1;

// Of the transaction that this thread runs.
thread_local bool closes_afterwards = false;

// A read needs no transaction: READ COMMITTED shows each statement its own state of the database anyway, and beginning
// and committing take two more round trips. Sessions are read-only, so that PostgreSQL refuses a body that writes.
using Read = pqxx::nontransaction;
constexpr const char* kReadOnly = "; SET default_transaction_read_only = on";

// Says with its BEGIN that it writes, which pqxx::work leaves to the session: still one round trip.
class Write final : public pqxx::internal::basic_transaction {
 public:
  explicit Write(pqxx::connection_base& connection)
      : namedclass("transaction"),
        basic_transaction(connection, "READ COMMITTED READ WRITE", pqxx::readwrite_policy::read_write) {
    Begin();
  }
  ~Write() noexcept override { End(); }
  Write(const Write&) = delete;
  Write& operator=(const Write&) = delete;

 private:
  // One command for the server, where the base has two: BEGIN and SET TRANSACTION.
  void do_begin() override { direct_exec("BEGIN READ WRITE"); }
};

}  // namespace

struct Connection {
  Connection(const std::string& info, const std::string& settings) : handle(info), quiet(handle) {
    pqxx::nontransaction session(handle);
    session.exec(settings);
  }
  pqxx::connection handle;
  pqxx::quiet_errorhandler quiet;  // libpqxx would print notices to stderr
};

struct SpareConnections {
  std::vector<std::unique_ptr<Connection>> idle;
};

void close_connection_afterwards() {
  closes_afterwards = true;
}

std::shared_ptr<SpareConnections> make_spare_connections() {
  return std::make_shared<SpareConnections>();
}

namespace {

// How one attempt ended; `from_body` errors are the caller's own and pass unchanged.
struct Attempt {
  enum class End : std::uint8_t { kDone, kFailed, kConflict, kLost, kInDoubt };
  End end = End::kDone;
  Error error;
  bool from_body = false;
};

Attempt failed(Attempt::End end, Error error) {
  return {.end = end, .error = std::move(error), .from_body = false};
}

using Loses = std::function<bool(Moment)>;  // empty: none

template <typename Tx>
Attempt run_transaction(pqxx::connection& connection, const std::function<Status(Transaction&)>& body,
                        const Loses& loses) {
  Tx tx(connection);
  if (Status status = body(tx); !status) {
    return {.end = Attempt::End::kFailed, .error = std::move(status).error(), .from_body = true};
  }
  if (loses && loses(Moment::kBeforeCommit)) throw pqxx::broken_connection("lost before the commit");
  tx.commit();
  if (loses && loses(Moment::kAfterCommit)) throw pqxx::in_doubt_error("lost after the commit");
  return {};
}

Attempt attempt(const std::function<Attempt()>& work) {
  using End = Attempt::End;
  try {
    return work();
  } catch (const pqxx::in_doubt_error&) {
    return failed(End::kInDoubt, error_of({}, "the connection was lost during the commit"));
  } catch (const pqxx::broken_connection& lost) {
    return failed(End::kLost, error_of({}, lost.what()));
  } catch (const pqxx::sql_error& refused) {
    Error error = error_of(refused.sqlstate(), refused.what());  // none: libpq itself gave up
    const bool lost = error.code == ErrorCode::kUnavailable;
    return failed(lost ? End::kLost : End::kFailed, std::move(error));
  } catch (const pqxx::transaction_rollback& conflict) {
    return failed(End::kConflict, error_of("40001", conflict.what()));
  } catch (const std::exception& unexpected) {
    return failed(End::kFailed,
                  Error{.code = ErrorCode::kInternal, .message = unexpected.what(), .field = {}, .retry_after = {}});
  }
}

}  // namespace

struct Pool::State {
  PoolOptions options;
  std::string settings;
  Logger log{"pg.pool"};
  Mutex mutex;
  std::vector<std::unique_ptr<Connection>> idle DET_GUARDED_BY(mutex);

  std::unique_ptr<Connection> take() {
    const MutexLock lock(mutex);
    return last_of(idle);
  }
  std::unique_ptr<Connection> take_spare() { return options.spare ? last_of(options.spare->idle) : nullptr; }
  // What a simulation lost is whole.
  void lose(std::unique_ptr<Connection> connection) {
    if (options.spare && connection && connection->handle.is_open()) {
      options.spare->idle.push_back(std::move(connection));
    }
  }
  void give_back(std::unique_ptr<Connection> connection) {
    if (!connection || !connection->handle.is_open()) return;
    const MutexLock lock(mutex);
    idle.push_back(std::move(connection));
  }
  void leave_to(SpareConnections& spare) {
    const MutexLock lock(mutex);
    std::ranges::move(idle, std::back_inserter(spare.idle));
    idle.clear();
  }
  static std::unique_ptr<Connection> last_of(std::vector<std::unique_ptr<Connection>>& connections) {
    if (connections.empty()) return nullptr;
    auto last = std::move(connections.back());
    connections.pop_back();
    return last;
  }
  Attempt run_once(Kind kind, const std::string& name, std::unique_ptr<Connection>& connection,
                   const std::function<Status(Transaction&)>& body) {
    Loses loses;
    const Access access = kind == Kind::kRead ? Access::kRead : Access::kWrite;
    if (options.loses) loses = [this, &name, access](Moment moment) { return options.loses(moment, name, access); };
    if (loses && loses(Moment::kBegin)) throw pqxx::broken_connection("nobody answers");
    if (!connection || !connection->handle.is_open()) connection = take_spare();
    if (!connection) {
      const auto info = connection_info(options.url, options.application_name, options.connect_timeout);
      if (!info) return failed(Attempt::End::kFailed, info.error());
      connection = std::make_unique<Connection>(*info, settings);
    }
    return kind == Kind::kRead ? run_transaction<Read>(connection->handle, body, loses)
                               : run_transaction<Write>(connection->handle, body, loses);
  }
};

Pool::Pool(PoolOptions options) : state_(std::make_unique<State>()), post_(options.post) {
  DET_CHECK(options.connections > 0, "a pool has connections");
  if (!post_) {
    threads_.emplace(static_cast<std::size_t>(options.connections));
    post_ = [this](std::move_only_function<void()> job) { asio::post(*threads_, std::move(job)); };
  }
  state_->settings = session_settings(options.statement_timeout) + kReadOnly;
  state_->options = std::move(options);
}

Pool::~Pool() {
  if (threads_) threads_->join();
  if (state_->options.spare) state_->leave_to(*state_->options.spare);
}

const std::string& Pool::url() const {
  return state_->options.url;
}

Status Pool::execute(Kind kind, const std::string& name, const std::function<Status(Transaction&)>& body) {
  using End = Attempt::End;
  auto connection = state_->take();
  closes_afterwards = false;
  Attempt last;
  int conflicts = 0;
  int losses = 0;
  for (;;) {
    last = attempt([&] { return state_->run_once(kind, name, connection, body); });
    if (last.end == End::kConflict && conflicts++ < kConflictRetries) continue;
    const bool lost = last.end == End::kLost || last.end == End::kInDoubt;
    if (!lost) break;
    state_->lose(std::exchange(connection, nullptr));
    if ((last.end == End::kInDoubt && kind == Kind::kOnce) || losses++ >= kLostRetries) break;
  }
  if (closes_afterwards) connection.reset();
  state_->give_back(std::move(connection));
  if (last.end == End::kDone) return {};
  if (last.from_body) return std::unexpected(std::move(last.error));
  state_->log.debug("transaction failed", {{"transaction", name}, {"error", last.error.message}});
  return std::unexpected(with_context(std::move(last.error), name));
}

}  // namespace det::pg
