#include "pods/tensorboard_source.h"

#include <algorithm>
#include <string_view>

#include "base/json_get.h"

namespace det::pods {
namespace {

using nlohmann::json;

std::string joined(std::string base, std::string_view more) {
  while (more.starts_with('/')) more.remove_prefix(1);
  while (more.ends_with('/')) more.remove_suffix(1);
  if (more.empty()) return base;
  return base + "/" + std::string(more);
}

// As the harness finds the folder of a shared file system: below the mount, wherever the node has it.
std::string path_in_mount(const json& storage) {
  std::string_view host = get_any(storage, "host_path").is_string()
                              ? std::string_view(storage.at("host_path").get_ref<const std::string&>())
                              : std::string_view();
  std::string path = get_string(storage, "storage_path");
  if (path.starts_with('/') && path.starts_with(host)) path.erase(0, host.size());
  return joined("/determined_shared_fs", path);
}

Result<std::string> base_of(const json& storage) {
  const std::string type = get_string(storage, "type");
  if (type == "shared_fs") return path_in_mount(storage);
  if (type == "directory") return joined("", get_string(storage, "container_path"));
  if (type == "s3") return joined("s3://" + get_string(storage, "bucket"), get_string(storage, "prefix"));
  if (type == "gcs") return joined("gs://" + get_string(storage, "bucket"), get_string(storage, "prefix"));
  if (type == "azure") return "azure://" + get_string(storage, "container");
  return fail(ErrorCode::kInvalidArgument, "checkpoint_storage.type '" + type + "' has no TensorBoard files");
}

// "https://minio:9000/x" -> "minio:9000".
std::string host_of(std::string_view url) {
  if (const auto at = url.find("://"); at != std::string_view::npos) url.remove_prefix(at + 3);
  return std::string(url.substr(0, url.find('/')));
}

void put(Variables& variables, const char* name, std::string value) {
  std::erase_if(variables, [&](const auto& variable) { return variable.first == name; });
  variables.emplace_back(name, std::move(value));
}

// The names that TensorFlow's and Amazon's libraries read.
void add_s3(Variables& variables, const json& storage) {
  put(variables, "AWS_BUCKET", get_string(storage, "bucket"));
  const std::string key = get_string(storage, "access_key");
  const std::string secret = get_string(storage, "secret_key");
  if (!key.empty()) put(variables, "AWS_ACCESS_KEY_ID", key);
  if (!secret.empty()) put(variables, "AWS_SECRET_ACCESS_KEY", secret);
  const std::string endpoint = get_string(storage, "endpoint_url");
  if (endpoint.empty()) return;
  put(variables, "DET_S3_ENDPOINT_URL", endpoint);
  put(variables, "S3_ENDPOINT", host_of(endpoint));
  put(variables, "S3_USE_HTTPS", endpoint.starts_with("https") ? "1" : "0");
}

void add_bind_mounts(std::vector<model::BindMount>& mounts, const std::vector<model::BindMount>& more) {
  for (const model::BindMount& mount : more) {
    const auto is_there = [&](const model::BindMount& known) { return known.container_path == mount.container_path; };
    if (std::ranges::none_of(mounts, is_there)) mounts.push_back(mount);
  }
}

std::string named(const ShownExperiment& experiment) {
  return "experiment " + to_string(experiment.id);
}

}  // namespace

json mounted_for_tensorboard(const json& experiment) {
  const json& storage = get_any(experiment, "checkpoint_storage");
  json mounted = {{"checkpoint_storage", {{"host_path", get_any(storage, "host_path")}}}};
  if (get_string(storage, "type") == "directory") mounted["bind_mounts"] = get_array(experiment, "bind_mounts");
  return mounted;
}

Result<TensorBoardSource> tensorboard_source(const std::string& cluster_id,
                                             const std::vector<ShownExperiment>& experiments) {
  TensorBoardSource source;
  const ShownExperiment& first = experiments.front();
  for (const ShownExperiment& one : experiments) {
    auto config = model::read_experiment_config(one.config);
    DET_TRY(config);
    const json& storage = get_any(one.config, "checkpoint_storage");
    const json& known = source.storage.is_null() ? storage : source.storage;
    for (const char* name : {"type", "host_path"}) {
      if (get_string(storage, name) == get_string(known, name)) continue;
      return fail(ErrorCode::kInvalidArgument, named(first) + " and " + named(one) +
                                                   " keep their files in different places (checkpoint_storage." + name +
                                                   " '" + get_string(known, name) + "' and '" +
                                                   get_string(storage, name) + "'); start a TensorBoard for each");
    }
    auto base = base_of(storage);
    if (!base) return std::unexpected(with_context(std::move(base).error(), named(one)));
    const std::string folder = *base + "/" + cluster_id + "/tensorboard/experiment/" + to_string(one.id) + "/";
    if (one.trials.empty()) source.log_dirs.push_back(folder);
    for (const std::int64_t trial : one.trials) {
      source.log_dirs.push_back(folder + "trial/" + std::to_string(trial) + "/");
    }
    const std::string type = get_string(storage, "type");
    if (type == "s3") add_s3(source.secret_variables, storage);
    if (type == "shared_fs") source.mount = config->checkpoint_storage;
    if (type == "directory") add_bind_mounts(source.bind_mounts, config->bind_mounts);
    source.storage = storage;
  }
  return source;
}

}  // namespace det::pods
