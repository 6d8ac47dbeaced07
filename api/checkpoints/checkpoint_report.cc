#include "api/checkpoints/checkpoint_report.h"

#include "base/uuid.h"
#include "wire/enums.h"
#include "wire/request_fields.h"

namespace det::api {

namespace {

// Beyond what any storage takes as one file, and exact in every client's JSON.
constexpr std::int64_t kMostBytes = std::int64_t{1} << 53;

std::unexpected<Error> wrong(const std::string& field, const std::string& what) {
  return fail(ErrorCode::kInvalidArgument, field + ": " + what, field);
}

// Sizes travel as texts.
Result<wire::Json> read_sizes(const wire::Json* resources, const std::string& path) {
  wire::Json out = wire::Json::object();
  if (resources == nullptr) return out;
  if (!resources->is_object()) return wrong(path, "expected a map from path to size");
  for (const auto& [file, size] : resources->items()) {
    const wire::Json one = {{"size", size}};
    wire::RequestFields fields(one);
    const auto bytes = fields.integer("size");
    if (bytes && *bytes > kMostBytes) {
      return wrong(path + "." + file, std::to_string(*bytes) + " is larger than any file (" +
                                          std::to_string(kMostBytes) + " bytes at most)");
    }
    if (!bytes || *bytes < 0) return wrong(path + "." + file, "expected a size in bytes, got " + wire::dump(size));
    out[file] = *bytes;
  }
  return out;
}

}  // namespace

Result<store::CheckpointRow> read_checkpoint_report(const wire::Json& body, WallTime now) {
  wire::RequestFields fields(body);
  for (const char* name : {"uuid", "taskId", "state"}) fields.require(name);
  store::CheckpointRow row;
  row.uuid = fields.string("uuid").value_or("");
  row.task_id = fields.string("taskId").value_or("");
  row.allocation_id = fields.string("allocationId").value_or("");
  const std::string state = fields.string("state").value_or("");
  row.storage_id = fields.integer("storageId");
  wire::RequestFields metadata = fields.object("metadata");
  metadata.require("steps_completed");
  row.steps = metadata.integer("steps_completed").value_or(0);
  const auto time = fields.string("reportTime");
  for (const Status& status : {fields.status(), metadata.status()}) {
    DET_TRY(status);
  }
  if (!is_uuid(row.uuid)) return wrong("uuid", "'" + row.uuid + "' is not a UUID");
  const auto reported = time ? parse_rfc3339(*time) : std::optional(now);
  if (!reported) return wrong("reportTime", "'" + *time + "' is not a time like 2026-11-21T02:00:00Z");
  row.report_time = *reported;
  if (row.steps < 0 || row.steps > INT32_MAX) {
    return wrong("metadata.steps_completed", std::to_string(row.steps) + " is not between 0 and 2147483647");
  }
  const auto parsed_state = wire::parse_checkpoint_state(state);
  if (!parsed_state) return wrong("state", "'" + state + "' is not a checkpoint state like STATE_COMPLETED");
  row.state = *parsed_state;
  row.metadata = *fields.any("metadata");
  auto sizes = read_sizes(fields.any("resources"), "resources");
  DET_TRY(sizes);
  row.resources = std::move(*sizes);
  return row;
}

Result<store::CheckpointPatches> read_checkpoint_patches(const wire::Json& body) {
  const wire::RequestFields fields(body);
  const wire::Json* const list = fields.any("checkpoints");
  if (list == nullptr || !list->is_array()) return wrong("checkpoints", "expected a list");
  store::CheckpointPatches patches;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::string path = "checkpoints[" + std::to_string(i) + "].";
    wire::RequestFields entry((*list)[i], path);
    entry.require("uuid");
    const std::string uuid = entry.string("uuid").value_or("");
    wire::RequestFields resources = entry.object("resources");
    DET_TRY(entry.status());
    if (!is_uuid(uuid)) return wrong(path + "uuid", "'" + uuid + "' is not a UUID");
    if (entry.any("resources") == nullptr) continue;  // nothing to change
    auto remaining = read_sizes(resources.any("resources"), path + "resources.resources");
    DET_TRY(remaining);
    patches[uuid] = std::move(*remaining);
  }
  return patches;
}

}  // namespace det::api
