#pragma once

// Connections to PostgreSQL, each used by one thread of the pool's own thread pool: a transaction runs there and its
// result comes back on the caller's executor. The Pool owns threads and connections and must be destroyed before the
// io_context that its callers run on. Coroutines of it belong to the io thread. libpqxx stays in .cc files: bodies are
// written there, against pg::Transaction.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <boost/asio/thread_pool.hpp>

#include "base/async.h"
#include "base/result.h"
#include "base/task.h"

namespace pqxx {
class transaction_base;
}

namespace det::pg {

using Transaction = pqxx::transaction_base;

// Where a connection may be lost in a transaction.
enum class Moment : std::uint8_t { kBegin, kBeforeCommit, kAfterCommit };
enum class Access : std::uint8_t { kRead, kWrite };

// Connections, with what they have prepared, that pools of one thread leave to those that follow.
struct SpareConnections;
[[nodiscard]] std::shared_ptr<SpareConnections> make_spare_connections();

struct PoolOptions {
  std::string url;  // libpq URL or key=value text; never logged
  int connections = 4;
  std::string application_name = "det-operator";
  std::chrono::milliseconds statement_timeout{30'000};
  std::chrono::milliseconds connect_timeout{5'000};
  // For simulations: who runs the transactions, one at a time. Empty: threads of the pool's own.
  Post post = {};
  // For simulations: asked at each moment of each attempt, where it runs; true loses the connection there. May be
  // empty.
  std::function<bool(Moment, const std::string& transaction, Access)> loses = {};
  // For simulations, whose pools have the same url and options: taken before one is opened. Null: none.
  std::shared_ptr<SpareConnections> spare = {};
};

class Pool {
 public:
  // Connects lazily: PostgreSQL may be away.
  explicit Pool(PoolOptions options);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Runs `body`, a callable Result<R>(pg::Transaction&), in one transaction on a pool thread: committed when it returns
  // a value, rolled back when it returns an error. `name` is the context of errors ("find trial: ..."). The body may
  // run again: after a deadlock or serialization failure, and once after a connection that was lost before the commit
  // was sent. What it changes outside the database must bear that. A commit whose outcome is unknown is repeated only
  // by write(), so use write_once() for statements that may not happen twice. The statements of a read() see each its
  // own state of the database. Errors: kUnavailable (no connection, server going down), kAlreadyExists (unique),
  // kFailedPrecondition (foreign key, check), kInvalidArgument (bad value), kDeadlineExceeded (statement timeout),
  // kAborted (still conflicting).
  template <typename Body>
  Task<std::invoke_result_t<Body, Transaction&>> read(std::string name, Body body) {
    return run<Body>(Kind::kRead, std::move(name), std::move(body));
  }
  template <typename Body>
  Task<std::invoke_result_t<Body, Transaction&>> write(std::string name, Body body) {
    return run<Body>(Kind::kIdempotent, std::move(name), std::move(body));
  }
  template <typename Body>
  Task<std::invoke_result_t<Body, Transaction&>> write_once(std::string name, Body body) {
    return run<Body>(Kind::kOnce, std::move(name), std::move(body));
  }

  [[nodiscard]] const std::string& url() const;

 private:
  enum class Kind : std::uint8_t { kRead, kIdempotent, kOnce };
  // Blocking; on a pool thread.
  Status execute(Kind kind, const std::string& name, const std::function<Status(Transaction&)>& body);

  template <typename Body>
  Task<std::invoke_result_t<Body, Transaction&>> run(Kind kind, std::string name, Body body) {
    using R = std::invoke_result_t<Body, Transaction&>;
    auto work = [this, kind, name = std::move(name), body = std::move(body)]() mutable -> R {
      std::optional<R> value;
      const auto attempt = [&value, &body](Transaction& tx) -> Status {
        value.emplace(body(tx));
        if (!*value) return std::unexpected(value->error());
        return {};
      };
      DET_TRY(execute(kind, name, attempt));
      return std::move(*value);
    };
    co_return co_await run_by(post_, std::move(work));
  }

  struct State;
  std::unique_ptr<State> state_;
  std::optional<asio::thread_pool> threads_;  // none where somebody else runs the transactions
  Post post_;
};

}  // namespace det::pg
