#include "local/kubeapi/object_table.h"

#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>

#include "local/kubeapi/patch.h"
#include "pg/binary_array.h"
#include "pg/migrate.h"
#include "pg/raw_connection.h"

namespace det::local {

// Generated from local/kubeapi/migrations/*.sql (cmake/EmbedFiles.cmake).
std::vector<std::pair<std::string_view, std::string_view>> kube_migrations();

}  // namespace det::local

namespace det::local::kubeapi {
namespace {

using Element = pg::BinaryArray::Element;

constexpr const char* kSchema = "kube";
// Any two numbers that nobody else uses: "det", "kube".
constexpr const char* kTakeLock = "SELECT pg_advisory_lock(6579572, 1802856037)";
// PostgreSQL takes a moment to notice that a killed process has gone.
constexpr const char* kLockPatience = "SET lock_timeout = '2s'";
constexpr const char* kNoPatience = "RESET lock_timeout";
constexpr const char* kReadVersion = "SELECT version FROM kube.state";
constexpr const char* kReadObjects = "SELECT resource, ns, name, version, created, data FROM kube.objects";
// One statement is one transaction and one round trip. Nothing is written when the version is not the expected one.
constexpr const char* kCommit =
    "WITH moved AS (UPDATE kube.state SET version = $2::bigint WHERE version = $1::bigint RETURNING version), "
    "written AS (INSERT INTO kube.objects (resource, ns, name, version, created, data) "
    "SELECT r.* FROM unnest($3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::text[]) "
    "AS r (resource, ns, name, version, created, data) WHERE EXISTS (SELECT FROM moved) "
    "ON CONFLICT (resource, ns, name) DO UPDATE SET version = excluded.version, created = excluded.created, "
    "data = excluded.data), "
    "erased AS (DELETE FROM kube.objects o USING unnest($9::text[], $10::text[], $11::text[]) "
    "AS e (resource, ns, name) WHERE o.resource = e.resource AND o.ns = e.ns AND o.name = e.name "
    "AND EXISTS (SELECT FROM moved)) SELECT count(*) FROM moved";

std::vector<pg::Migration> migrations() {
  std::vector<pg::Migration> steps;
  for (const auto& [name, sql] : kube_migrations()) {
    const int number = std::atoi(std::string(name.substr(0, 3)).c_str());
    steps.push_back({.number = number, .name = std::string(name.substr(0, name.find('.'))), .sql = std::string(sql)});
  }
  return steps;
}

std::string int8_parameter(std::uint64_t value) {
  std::string bytes;
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> static_cast<unsigned>(shift));
  return bytes;
}

// The last state of each place is what is written.
std::vector<std::string> parameters(const std::vector<Change>& changes, std::uint64_t from, std::uint64_t to) {
  std::map<Place, const Change*> last;
  for (const Change& change : changes) last[change.place] = &change;
  pg::BinaryArray resource(Element::kText), ns(Element::kText), name(Element::kText), version(Element::kInt8),
      created(Element::kInt8), data(Element::kText);
  pg::BinaryArray gone_resource(Element::kText), gone_ns(Element::kText), gone_name(Element::kText);
  for (const auto& [place, change] : last) {
    const bool is_gone = change->type == Change::Type::kDeleted;
    (is_gone ? gone_resource : resource).add_bytes(place.collection);
    (is_gone ? gone_ns : ns).add_bytes(place.ns);
    (is_gone ? gone_name : name).add_bytes(place.name);
    if (is_gone) continue;
    version.add_int8(static_cast<std::int64_t>(change->now->version));
    created.add_int8(static_cast<std::int64_t>(change->now->created));
    data.add_bytes(change->now->text);
  }
  std::vector<std::string> out = {int8_parameter(from), int8_parameter(to)};
  for (const auto* array : {&resource, &ns, &name, &version, &created, &data, &gone_resource, &gone_ns, &gone_name}) {
    out.push_back(array->finish());
  }
  return out;
}

}  // namespace

struct ObjectTable::Connection {
  pg::RawConnection raw;
};

ObjectTable::ObjectTable(std::string url) : url_(std::move(url)) {}
ObjectTable::~ObjectTable() = default;

Status ObjectTable::connect() {
  connection_.reset();
  auto opened = pg::RawConnection::open(url_, "det-operator kube-api");
  DET_TRY(opened);
  auto connection = std::make_unique<Connection>(Connection{std::move(*opened)});
  const std::pair<const char*, const char*> statements[] = {
      {"lock", kTakeLock}, {"version", kReadVersion}, {"objects", kReadObjects}, {"commit", kCommit}};
  for (const auto& [name, sql] : statements) {
    if (Status prepared = connection->raw.prepare(name, sql); !prepared) return prepared;
  }
  Status ready = connection->raw.execute(kLockPatience);
  if (!ready) return ready;
  const auto locked = connection->raw.run_prepared("lock", {});
  if (!locked && connection->raw.is_lost()) return std::unexpected(locked.error());
  if (!locked) {
    // After a lost connection it may be our own old session that holds it.
    return fail(is_open_ ? ErrorCode::kUnavailable : ErrorCode::kFailedPrecondition,
                "another process serves the Kubernetes API of this database; stop it first");
  }
  ready = connection->raw.execute(kNoPatience);
  if (!ready) return ready;
  connection_ = std::move(connection);
  return {};
}

Result<std::uint64_t> ObjectTable::read_version() {
  const auto rows = connection_->raw.run_prepared("version", {});
  DET_TRY(rows);
  return std::strtoull(pg::field(*rows, 0, 0).c_str(), nullptr, 10);
}

Result<StoredState> ObjectTable::open() {
  if (const auto migrated = pg::migrate(url_, migrations(), kSchema); !migrated) {
    return std::unexpected(migrated.error());
  }
  DET_TRY(connect());
  StoredState state;
  const auto version = read_version();
  DET_TRY(version);
  state.version = *version;
  const auto rows = connection_->raw.run_prepared("objects", {});
  DET_TRY(rows);
  for (int row = 0; row < pg::row_count(*rows); ++row) {
    Place place{pg::field(*rows, row, 0), pg::field(*rows, row, 1), pg::field(*rows, row, 2)};
    auto value = parse_json(pg::field(*rows, row, 5));
    if (!value) {
      return fail(ErrorCode::kDataLoss,
                  place.collection + " " + place.ns + "/" + place.name + ": " + value.error().message);
    }
    const auto number = [&](int column) { return std::strtoull(pg::field(*rows, row, column).c_str(), nullptr, 10); };
    state.objects.emplace_back(std::move(place), make_stored(std::move(*value), number(3), number(4)));
  }
  is_open_ = true;
  return state;
}

Status ObjectTable::commit(const std::vector<Change>& changes, std::uint64_t from, std::uint64_t to) {
  if (connection_ == nullptr || connection_->raw.is_lost()) {
    if (Status connected = connect(); !connected) return connected;
    // The connection may have been lost after the server had committed.
    const auto version = read_version();
    DET_TRY(version);
    if (*version == to) return {};
  }
  const auto moved = connection_->raw.run_prepared("commit", parameters(changes, from, to));
  if (!moved) {
    // A lost connection has no code of its own; so that the next try connects again.
    if (connection_->raw.is_lost()) return fail(ErrorCode::kUnavailable, moved.error().message);
    return std::unexpected(moved.error());
  }
  if (pg::field(*moved, 0, 0) == "1") return {};
  return fail(ErrorCode::kFailedPrecondition,
              "another process has written to the Kubernetes API's tables; nothing more is written by this one");
}

}  // namespace det::local::kubeapi
