#include "store/cluster/record_store.h"

#include <utility>

#include "store/sql.h"

namespace det::store {
namespace {

// `version` is another one after each change of the row, and known without reading what people wrote into it.
// Parameters: $1 visible workspaces or NULL; $2 to $5 ids, workspaces, models and users.
const char* const kProjects =
    "SELECT p.id, json_build_object('id', p.id, 'name', p.name, 'description', p.description, 'archived', p.archived, "
    "'created_at', to_char(p.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), 'notes', p.notes, "
    "'workspace_id', p.workspace_id, 'user_id', p.owner_id, 'immutable', p.immutable, 'state', p.state, 'key', p.key)"
    "::text AS content, p.xmin::text::bigint AS version FROM projects p WHERE ($1::bigint[] IS NULL OR p.workspace_id "
    "= ANY($1)) AND (p.id = "
    "ANY($2::bigint[]) OR p.workspace_id = ANY($3::bigint[])) AND $4::bigint[] IS NOT NULL AND $5::bigint[] IS NOT "
    "NULL";
const char* const kModels =
    "SELECT m.id, json_build_object('id', m.id, 'name', m.name, 'description', m.description, 'archived', m.archived, "
    "'creation_time', to_char(m.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), 'notes', m.notes, "
    "'workspace_id', m.workspace_id, 'user_id', m.owner_id, 'last_updated_time', to_char(m.changed_at AT TIME ZONE "
    "'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), 'metadata', m.metadata, 'labels', m.labels)::text AS content, "
    "m.xmin::text::bigint AS version FROM models m WHERE ($1::bigint[] IS NULL OR m.workspace_id = ANY($1)) AND (m.id "
    "= ANY($2::bigint[]) OR m.workspace_id "
    "= ANY($3::bigint[]) OR m.owner_id = ANY($5::bigint[])) AND $4::bigint[] IS NOT NULL";
const char* const kVersions =
    "SELECT v.id, json_build_object('id', v.id, 'name', v.name, 'version', v.version, 'checkpoint_uuid', v.checkpoint, "
    "'creation_time', to_char(v.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), "
    "'last_updated_time', to_char(v.changed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), 'metadata', "
    "v.metadata, 'model_id', v.model_id, 'user_id', v.owner_id, 'comment', v.comment, 'labels', v.labels, 'notes', "
    "v.notes, 'workspace_id', m.workspace_id::text)::text AS content, (v.xmin::text::bigint << 24) + m.workspace_id AS "
    "version "
    "FROM model_versions v JOIN models m ON m.id = "
    "v.model_id WHERE ($1::bigint[] IS NULL OR m.workspace_id = ANY($1)) AND (v.id = ANY($2::bigint[]) OR v.model_id = "
    "ANY($4::bigint[]) OR v.owner_id = ANY($5::bigint[])) AND $3::bigint[] IS NOT NULL";

std::string fitting(RecordKind kind) {
  const char* const records = kind == RecordKind::kProject ? kProjects
                              : kind == RecordKind::kModel ? kModels
                                                           : kVersions;
  return std::string("WITH fitting AS (") + records + ") ";
}

}  // namespace

Task<Result<std::vector<RecordState>>> RecordStore::states(RecordKind kind, RecordFilter filter) {
  auto body = [kind, f = std::move(filter)](pg::Transaction& tx) -> Result<std::vector<RecordState>> {
    static const std::string kTail = "SELECT id, version FROM fitting ORDER BY id LIMIT " + std::to_string(kMost + 1);
    const pqxx::result found = run_sql(tx, fitting(kind) + kTail, id_array_or_null(f.visible), int_array(f.ids),
                                       int_array(f.workspaces), int_array(f.models), int_array(f.users));
    if (static_cast<std::size_t>(found.size()) > kMost) {
      return fail(ErrorCode::kResourceExhausted, "more than " + std::to_string(kMost) + " fit the subscription");
    }
    std::vector<RecordState> states;
    for (const auto& row : found) {
      states.push_back({.id = row[0].as<std::int64_t>(), .version = row[1].as<std::int64_t>()});
    }
    return states;
  };
  co_return co_await pool_.read("look at followed records", std::move(body));
}

Task<Result<std::vector<Record>>> RecordStore::read(RecordKind kind, RecordFilter filter,
                                                    std::vector<std::int64_t> ids) {
  auto body = [kind, f = std::move(filter), ids = std::move(ids)](pg::Transaction& tx) -> Result<std::vector<Record>> {
    const pqxx::result found = run_sql(
        tx,
        fitting(kind) +
            "SELECT id, content FROM (SELECT id, content, sum(octet_length(content::text)) OVER (ORDER BY id) "
            "AS bytes, row_number() OVER (ORDER BY id) AS place FROM fitting WHERE id = ANY($6::bigint[])) part "
            "WHERE bytes <= $7 OR place = 1 ORDER BY id",
        id_array_or_null(f.visible), int_array(f.ids), int_array(f.workspaces), int_array(f.models), int_array(f.users),
        int_array(ids), kMostBytes);
    std::vector<Record> records;
    for (const auto& row : found) {
      records.push_back({.id = row[0].as<std::int64_t>(), .content = as_text(row[1])});
    }
    return records;
  };
  co_return co_await pool_.read("read followed records", std::move(body));
}

}  // namespace det::store
