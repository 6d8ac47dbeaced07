#include "store/proxy/service_store.h"

#include <algorithm>

#include "base/encoding.h"
#include "store/channels.h"
#include "store/sql.h"

namespace det::store {
namespace {

constexpr std::size_t kKeyBytes = 32;

const char* const kAllocation =
    "SELECT k.id, a.ended_at IS NOT NULL FROM allocations a JOIN tasks k ON k.number = a.task_number WHERE a.id = $1 "
    "FOR SHARE OF a";
const char* const kColumns =
    "s.id, s.task_id, s.allocation_id, s.address, s.port, s.is_tcp, s.is_unauthenticated, s.is_tls, s.is_shared, "
    "s.owner_id, s.token_hash";
// Index proxy_services_task.
const char* const kOfTask = "FROM proxy_services s WHERE s.task_id = $1 ORDER BY s.id";
const char* const kLastOfTask = "SELECT max(last_request) FROM proxy_services WHERE task_id = $1";
const char* const kRemove = "DELETE FROM proxy_services WHERE task_id = $1";
const char* const kInsert =
    "INSERT INTO proxy_services (id, task_id, allocation_id, address, port, is_tcp, is_unauthenticated, is_tls, "
    "is_shared, owner_id, token_hash, last_request) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, "
    "coalesce($12::timestamptz, now()))";
// $1: the id; $2: the id itself, and what stands before its port. One statement, so that a service published between
// two looks is not missed by both. Indexes proxy_services_pkey, tasks_id_key, allocations_task_number_run_key,
// proxy_services_task.
const char* const kById =
    "u.active, EXISTS (SELECT 1 FROM tasks k JOIN allocations e ON e.task_number = k.number AND e.ended_at IS NULL "
    "WHERE k.id = ANY($2::text[]) AND NOT EXISTS (SELECT 1 FROM proxy_services o WHERE o.task_id = k.id)) FROM "
    "(VALUES ($1)) asked (id) LEFT JOIN (proxy_services s JOIN allocations a ON a.id = s.allocation_id AND a.ended_at "
    "IS NULL JOIN users u ON u.id = s.owner_id) ON s.id = asked.id";
// As many as there are ports of running tasks.
const char* const kOpen =
    "FROM proxy_services s JOIN allocations a ON a.id = s.allocation_id AND a.ended_at IS NULL ORDER BY s.id";
const char* const kNote =
    "UPDATE proxy_services s SET last_request = n.at FROM (SELECT id, to_timestamp(max(micros) / 1e6) AS at FROM "
    "unnest($1::text[], $2::bigint[]) AS n (id, micros) GROUP BY id) n WHERE s.id = n.id AND s.last_request < n.at";
const char* const kLast =
    "SELECT task_id, (extract(epoch FROM max(last_request)) * 1000000)::bigint FROM proxy_services WHERE task_id = "
    "ANY($1::text[]) GROUP BY task_id";
const char* const kMakeKey = "INSERT INTO proxy_key (key) VALUES ($1) ON CONFLICT DO NOTHING";
const char* const kKey = "SELECT key FROM proxy_key";
const char* const kForgetTickets = "DELETE FROM proxy_used_tickets WHERE expires_at < now()";
const char* const kUseTicket =
    "INSERT INTO proxy_used_tickets (nonce, expires_at) VALUES ($1, to_timestamp($2::bigint / 1e6)) ON CONFLICT DO "
    "NOTHING";

std::int64_t micros(WallTime time) {
  return time.time_since_epoch().count();
}

ProxyService read_service(const pqxx::row& row) {
  return {.id = as_text(row[0]),
          .task_id = as_text(row[1]),
          .allocation_id = as_text(row[2]),
          .address = as_text(row[3]),
          .port = row[4].as<int>(),
          .is_tcp = row[5].as<bool>(),
          .is_unauthenticated = row[6].as<bool>(),
          .is_tls = row[7].as<bool>(),
          .is_shared = row[8].as<bool>(),
          .owner = {row[9].as<std::int64_t>()},
          .token_hash = as_text(row[10])};
}

std::vector<ProxyService> services_of(pg::Transaction& tx, const std::string& task_id) {
  static const std::string kStatement = std::string("SELECT ") + kColumns + " " + kOfTask;
  std::vector<ProxyService> services;
  for (const auto& row : run_sql(tx, kStatement, task_id)) services.push_back(read_service(row));
  return services;
}

// Whether all are the task's; what is not theirs to say is filled in.
Status complete(std::vector<ProxyService>& services, const std::string& task_id, const std::string& allocation_id) {
  for (ProxyService& service : services) {
    if (service.id != task_id && !service.id.starts_with(task_id + ":")) {
      return fail(ErrorCode::kInvalidArgument, "'" + service.id + "' is no service of task '" + task_id + "'");
    }
    service.task_id = task_id;
    service.allocation_id = allocation_id;
  }
  std::ranges::sort(services, {}, &ProxyService::id);
  return {};
}

void insert(pg::Transaction& tx, const ProxyService& service, const std::optional<std::string>& last_request) {
  run_sql(tx, kInsert, service.id, service.task_id, service.allocation_id, service.address, service.port,
          service.is_tcp, service.is_unauthenticated, service.is_tls, service.is_shared, service.owner.value,
          service.token_hash, last_request);
}

}  // namespace

Task<Status> ServiceStore::publish(Epoch epoch, std::string allocation_id, std::vector<ProxyService> services) {
  auto body = [epoch, allocation_id = std::move(allocation_id),
               wanted = std::move(services)](pg::Transaction& tx) -> Status {
    DET_TRY(check_epoch(tx, epoch));
    const pqxx::result allocation = run_sql(tx, kAllocation, allocation_id);
    if (allocation.empty()) return not_found("allocation", allocation_id);
    const std::string task_id = as_text(allocation[0][0]);
    std::vector<ProxyService> services = wanted;
    DET_TRY(complete(services, task_id, allocation_id));
    if (allocation[0][1].as<bool>()) services.clear();
    if (services == services_of(tx, task_id)) return {};
    const auto last_request = as_optional<std::string>(run_sql1(tx, kLastOfTask, task_id)[0]);
    run_sql(tx, kRemove, task_id);
    for (const ProxyService& service : services) insert(tx, service, last_request);
    notify(tx, kProxyChannel, task_id);
    return {};
  };
  co_return co_await pool_.write("publish services", std::move(body));
}

Task<Status> ServiceStore::withdraw(Epoch epoch, std::string task_id) {
  auto body = [epoch, task_id = std::move(task_id)](pg::Transaction& tx) -> Status {
    DET_TRY(check_epoch(tx, epoch));
    if (run_sql(tx, kRemove, task_id).affected_rows() > 0) notify(tx, kProxyChannel, task_id);
    return {};
  };
  co_return co_await pool_.write("withdraw services", std::move(body));
}

Task<Result<FoundService>> ServiceStore::find(std::string id) {
  static const std::string kStatement = std::string("SELECT ") + kColumns + ", " + kById;
  std::vector<std::string> tasks{id};
  if (const auto colon = id.rfind(':'); colon != std::string::npos) tasks.push_back(id.substr(0, colon));
  auto body = [id = std::move(id), tasks = text_array(tasks)](pg::Transaction& tx) -> Result<FoundService> {
    const pqxx::row row = run_sql1(tx, kStatement, id, tasks);
    if (row[0].is_null()) return FoundService{.service = std::nullopt, .is_expected = row[12].as<bool>()};
    ProxyService service = read_service(row);
    if (!row[11].as<bool>()) service.token_hash.clear();
    return FoundService{.service = std::move(service)};
  };
  co_return co_await pool_.read("find service", std::move(body));
}

Task<Result<std::map<std::string, std::vector<ProxyService>>>> ServiceStore::open() {
  using Services = std::map<std::string, std::vector<ProxyService>>;
  static const std::string kStatement = std::string("SELECT ") + kColumns + " " + kOpen;
  auto body = [](pg::Transaction& tx) -> Result<Services> {
    Services open;
    for (const auto& row : run_sql(tx, kStatement)) {
      ProxyService service = read_service(row);
      std::vector<ProxyService>& services = open[service.allocation_id];
      services.push_back(std::move(service));
    }
    return open;
  };
  co_return co_await pool_.read("list services", std::move(body));
}

Task<Status> ServiceStore::note_requests(std::vector<std::pair<std::string, WallTime>> requests) {
  std::vector<std::string> ids;
  std::vector<std::int64_t> times;
  for (auto& [id, at] : requests) {
    ids.push_back(std::move(id));
    times.push_back(micros(at));
  }
  auto body = [ids = text_array(ids), times = int_array(times)](pg::Transaction& tx) -> Status {
    run_sql(tx, kNote, ids, times);
    return {};
  };
  co_return co_await pool_.write("note requests of services", std::move(body));
}

Task<Result<std::map<std::string, WallTime>>> ServiceStore::last_requests(std::vector<std::string> task_ids) {
  auto body = [ids = text_array(task_ids)](pg::Transaction& tx) -> Result<std::map<std::string, WallTime>> {
    std::map<std::string, WallTime> last;
    for (const auto& row : run_sql(tx, kLast, ids)) {
      last.emplace(as_text(row[0]), WallTime(std::chrono::microseconds(row[1].as<std::int64_t>())));
    }
    return last;
  };
  co_return co_await pool_.read("last requests of services", std::move(body));
}

Task<Result<std::string>> ServiceStore::signing_key() {
  auto body = [made = random_token(kKeyBytes)](pg::Transaction& tx) -> Result<std::string> {
    run_sql(tx, kMakeKey, made);
    return as_text(run_sql1(tx, kKey)[0]);
  };
  co_return co_await pool_.write("load the proxy's key", std::move(body));
}

Task<Result<bool>> ServiceStore::use_ticket(std::string nonce, WallTime expires_at) {
  auto body = [nonce = std::move(nonce), expires_at](pg::Transaction& tx) -> Result<bool> {
    run_sql(tx, kForgetTickets);
    return run_sql(tx, kUseTicket, nonce, micros(expires_at)).affected_rows() == 1;
  };
  // Repeated after a lost answer it would say "used": the browser asks for another ticket.
  co_return co_await pool_.write_once("use ticket", std::move(body));
}

}  // namespace det::store
