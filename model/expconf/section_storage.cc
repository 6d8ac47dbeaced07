#include <string>

#include <nlohmann/json.hpp>

#include "model/expconf/sections.h"
#include "model/expconf/shared_path.h"

namespace det::model {
namespace {

using nlohmann::json;

std::string text_of(const json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : "";
}

void check_shared_paths(const json& value, std::string_view path, FieldErrors& errors) {
  const std::string storage = text_of(value, "storage_path");
  if (storage.empty()) return;
  if (!stays_below(text_of(value, "host_path"), storage)) {
    add_field_error(errors, path, "storage_path must either be a relative directory or a subdirectory of host_path");
  }
}

void check_prefix(const json& value, std::string_view path, FieldErrors& errors) {
  const std::string around = "/" + value.get<std::string>() + "/";
  if (around.find("/../") != std::string::npos) add_field_error(errors, path, "prefix cannot contain /../");
}

void check_azure(const json& value, std::string_view path, FieldErrors& errors) {
  if (text_of(value, "connection_string").empty() == text_of(value, "account_url").empty()) {
    add_field_error(errors, path, "Exactly one of connection_string or account_url must be set");
  }
}

void check_storage(const json& value, std::string_view path, FieldErrors& errors) {
  check_shared_paths(value, path, errors);
  if (!text_of(value, "credential").empty() && !text_of(value, "connection_string").empty()) {
    add_field_error(errors, path, "credential and connection_string must not both be set");
  }
}

constexpr Field kSharedFs[] = {
    {.name = "host_path", .type = Type::kString, .eventually = true},
    {.name = "storage_path", .type = Type::kString},
    {.name = "propagation", .type = Type::kString, .fallback = R"("rprivate")"},
    {.name = "container_path", .type = Type::kString, .omitted_when_null = true},
    {.name = "checkpoint_path", .type = Type::kString, .omitted_when_null = true},
    {.name = "tensorboard_path", .type = Type::kString, .omitted_when_null = true},
};
constexpr Field kDirectory[] = {{.name = "container_path", .type = Type::kString, .eventually = true}};
constexpr Field kS3[] = {
    {.name = "bucket", .type = Type::kString, .eventually = true},
    {.name = "access_key", .type = Type::kString},
    {.name = "secret_key", .type = Type::kString},
    {.name = "endpoint_url", .type = Type::kString},
    {.name = "prefix", .type = Type::kString, .check = check_prefix},
};
constexpr Field kGcs[] = {{.name = "bucket", .type = Type::kString, .eventually = true},
                          {.name = "prefix", .type = Type::kString, .check = check_prefix}};
constexpr Field kAzure[] = {{.name = "container", .type = Type::kString, .eventually = true},
                            {.name = "connection_string", .type = Type::kString, .omitted_when_null = true},
                            {.name = "account_url", .type = Type::kString, .omitted_when_null = true},
                            {.name = "credential", .type = Type::kString, .omitted_when_null = true}};

// How to reach the account is one thing: half of it from each side would reach neither.
void regroup_azure(const json& ours, const json& theirs, json& merged) {
  const bool is_ours = !text_of(ours, "connection_string").empty() || !text_of(ours, "account_url").empty();
  const json& source = is_ours ? ours : theirs;
  for (const char* key : {"connection_string", "account_url", "credential"}) {
    merged.erase(key);
    if (source.contains(key)) merged[key] = source.at(key);
  }
}

constexpr Variant kVariants[] = {
    {.tag = "shared_fs", .fields = kSharedFs},
    {.tag = "directory", .fields = kDirectory},
    {.tag = "s3", .fields = kS3},
    {.tag = "gcs", .fields = kGcs},
    {.tag = "azure", .fields = kAzure, .check_complete = check_azure, .regroup = regroup_azure},
};

// Where TensorBoard's files once could be put apart from checkpoints: read, and then ignored.
constexpr Variant kTensorboardVariants[] = {
    {.tag = "shared_fs", .fields = kSharedFs}, {.tag = "s3", .fields = kS3}, {.tag = "gcs", .fields = kGcs}};
constexpr Field kTensorboardFields[] = {{.name = "type", .type = Type::kString}};
constexpr ObjectSchema kTensorboardShape = {
    .fields = kTensorboardFields, .check = check_storage, .tag = "type", .variants = kTensorboardVariants};

constexpr Field kFields[] = {
    {.name = "type", .type = Type::kString},
    {.name = "save_experiment_best", .type = Type::kInteger, .minimum = 0, .fallback = "0"},
    {.name = "save_trial_best", .type = Type::kInteger, .minimum = 0, .fallback = "1"},
    {.name = "save_trial_latest", .type = Type::kInteger, .minimum = 0, .fallback = "1"},
};

}  // namespace

void check_tensorboard_storage(const json& value, std::string_view path, FieldErrors& errors) {
  FieldErrors found;
  validate(kTensorboardShape, value, path, found);
  if (!found.empty()) add_field_error(errors, path, "this field is deprecated and will be ignored");
}

constinit const ObjectSchema kCheckpointStorageSchema = {
    .fields = kFields,
    .check = check_storage,
    .tag = "type",
    .variants = kVariants,
    .tag_error =
        R"(is not an object where object["type"] is one of 'shared_fs', 'directory', 's3', 'gcs', or 'azure')"};

}  // namespace det::model
