#include "storage/open_checkpoint.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/json_get.h"
#include "storage/azure_files.h"
#include "storage/folder_files.h"
#include "storage/gcs_files.h"
#include "storage/s3_files.h"

namespace det::storage {

namespace {

using nlohmann::json;

constexpr const char* kAllow = "; an administrator can allow it with checkpoint_downloads.endpoints of master.yaml";

std::string trimmed_end(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  return url;
}

bool may_reach(const StorageAccess& access, const std::string& endpoint) {
  return std::ranges::any_of(access.endpoints, [&endpoint](const std::string& allowed) {
    return allowed == "*" || trimmed_end(allowed) == endpoint;
  });
}

Result<std::unique_ptr<StoredFiles>> open_s3(const StorageAccess& access, const json& config, const std::string& uuid) {
  S3Bucket bucket{
      .bucket = get_string(config, "bucket"),
      .endpoint = trimmed_end(get_string(config, "endpoint_url")),
      .prefix = get_string(config, "prefix"),
      .keys = {.access_key = get_string(config, "access_key"), .secret_key = get_string(config, "secret_key")}};
  DET_TRY(check_bucket(bucket));
  if (!bucket.endpoint.empty() && !may_reach(access, bucket.endpoint)) {
    return fail(ErrorCode::kPermissionDenied,
                "checkpoint_storage.endpoint_url: this server does not dial '" + bucket.endpoint + "'" + kAllow);
  }
  if (bucket.keys.access_key.empty() || bucket.keys.secret_key.empty()) {
    return fail(ErrorCode::kFailedPrecondition,
                "checkpoint_storage has no access_key and secret_key for this server to read with");
  }
  // It goes into a header.
  if (!std::ranges::all_of(bucket.keys.access_key, [](unsigned char c) { return c > ' ' && c < 0x7f; })) {
    return fail(ErrorCode::kFailedPrecondition,
                "checkpoint_storage.access_key has characters that no access key has; only visible ASCII works");
  }
  return std::make_unique<S3Files>(access.transport, access.clock, access.workers, std::move(bucket), uuid);
}

Result<std::unique_ptr<StoredFiles>> open_gcs(const StorageAccess& access, const json& config,
                                              const std::string& uuid) {
  const GcsBucket bucket{.bucket = get_string(config, "bucket"), .prefix = get_string(config, "prefix")};
  DET_TRY(check_bucket(bucket));
  if (!may_reach(access, "gs://" + bucket.bucket)) {
    return fail(ErrorCode::kPermissionDenied, "checkpoint_storage.bucket: this server does not read 'gs://" +
                                                  bucket.bucket + "' for its users" + kAllow);
  }
  return std::make_unique<GcsFiles>(access.transport, access.clock, access.workers, access.gcs, bucket, uuid);
}

Result<std::unique_ptr<StoredFiles>> open_azure(const StorageAccess& access, const json& config,
                                                const std::string& uuid) {
  const std::string container = get_string(config, "container");
  DET_TRY(check_container(container));
  auto account = read_azure_account(config);
  DET_TRY(account);
  if (!is_azures_own(account->url) && !may_reach(access, account->url)) {
    return fail(ErrorCode::kPermissionDenied,
                "checkpoint_storage.account_url: this server does not dial '" + account->url + "'" + kAllow);
  }
  return std::make_unique<AzureFiles>(access.transport, access.clock, access.workers, std::move(*account), container,
                                      uuid);
}

std::string inside(const std::string& base, const std::string& path) {
  if (path.empty()) return base;
  return path.starts_with('/') ? path : trimmed_end(base) + "/" + path;
}

}  // namespace

std::string endpoint_of(const json& config) {
  const std::string type = get_string(config, "type");
  if (type == "gcs") return "gs://" + get_string(config, "bucket");
  if (type != "azure") return get_string(config, "endpoint_url");
  const auto account = read_azure_account(config);
  return account ? account->url : "";
}

Result<std::unique_ptr<StoredFiles>> open_checkpoint(const StorageAccess& access, const json& config,
                                                     std::string uuid) {
  const std::string type = get_string(config, "type");
  if (type == "s3") return open_s3(access, config, uuid);
  if (type == "gcs") return open_gcs(access, config, uuid);
  if (type == "azure") return open_azure(access, config, uuid);
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
