#include "storage/open_checkpoint.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/json_get.h"
#include "storage/folder_files.h"
#include "storage/s3_files.h"

namespace det::storage {

namespace {

using nlohmann::json;

std::string trimmed_end(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  return url;
}

bool may_dial(const StorageAccess& access, const std::string& endpoint) {
  return std::ranges::any_of(access.endpoints, [&endpoint](const std::string& allowed) {
    return allowed == "*" || trimmed_end(allowed) == endpoint;
  });
}

Result<std::unique_ptr<StoredFiles>> open_s3(const StorageAccess& access, const json& config, std::string uuid) {
  S3Bucket bucket{
      .bucket = get_string(config, "bucket"),
      .endpoint = trimmed_end(get_string(config, "endpoint_url")),
      .prefix = get_string(config, "prefix"),
      .keys = {.access_key = get_string(config, "access_key"), .secret_key = get_string(config, "secret_key")}};
  DET_TRY(check_bucket(bucket));
  if (!bucket.endpoint.empty() && !may_dial(access, bucket.endpoint)) {
    return fail(ErrorCode::kPermissionDenied,
                "checkpoint_storage.endpoint_url: this server does not dial '" + bucket.endpoint +
                    "'; an administrator can allow it with checkpoint_downloads.endpoints of master.yaml");
  }
  if (bucket.keys.access_key.empty() || bucket.keys.secret_key.empty()) {
    return fail(ErrorCode::kFailedPrecondition,
                "checkpoint_storage has no access_key and secret_key for this server to read with");
  }
  return std::make_unique<S3Files>(access.transport, access.clock, std::move(bucket), std::move(uuid));
}

std::string inside(const std::string& base, const std::string& path) {
  if (path.empty()) return base;
  return path.starts_with('/') ? path : trimmed_end(base) + "/" + path;
}

}  // namespace

Result<std::unique_ptr<StoredFiles>> open_checkpoint(const StorageAccess& access, const json& config,
                                                     std::string uuid) {
  const std::string type = get_string(config, "type");
  if (type == "s3") return open_s3(access, config, std::move(uuid));
  const auto at = [&](std::string folder) -> Result<std::unique_ptr<StoredFiles>> {
    if (!folder.starts_with('/')) {
      return fail(ErrorCode::kFailedPrecondition, "checkpoint_storage: '" + folder + "' is no absolute path");
    }
    return std::make_unique<FolderFiles>(access.workers, std::move(folder), std::move(uuid));
  };
  if (type == "shared_fs") return at(inside(get_string(config, "host_path"), get_string(config, "storage_path")));
  if (type == "directory") return at(get_string(config, "container_path"));
  return fail(ErrorCode::kUnimplemented, "this server does not read checkpoint storage of type '" + type + "'");
}

}  // namespace det::storage
