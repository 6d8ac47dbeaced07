// Sections that older training code reads or that other deployments of Determined use: kept as they are written.
#include <array>

#include <nlohmann/json.hpp>

#include "model/expconf/sections.h"

namespace det::model {
namespace {

using nlohmann::json;

void check_batches(const json& value, std::string_view path, FieldErrors& errors) {
  const auto begin = value.find("begin_on_batch");
  const auto end = value.find("end_after_batch");
  if (begin == value.end() || end == value.end() || !begin->is_number() || !end->is_number()) return;
  if (begin->get<double>() > end->get<double>()) {
    add_field_error(errors, path, "begin_on_batch must be less than end_after_batch");
  }
}

constexpr Field kProfiling[] = {
    {.name = "enabled", .type = Type::kBoolean, .fallback = "false"},
    {.name = "begin_on_batch", .type = Type::kInteger, .minimum = 0, .fallback = "0"},
    {.name = "end_after_batch", .type = Type::kInteger, .minimum = 0},
    {.name = "sync_timings", .type = Type::kBoolean, .fallback = "true"},
};

void check_precision(const json& value, std::string_view path, FieldErrors& errors) {
  constexpr std::array<std::string_view, 4> kLevels = {"O0", "O1", "O2", "O3"};
  for (const std::string_view level : kLevels) {
    if (value == level) return;
  }
  add_field_error(errors, path, "mixed_precision should be a string starting with an uppercase letter 'O'");
}

constexpr Field kOptimizations[] = {
    {.name = "aggregation_frequency", .type = Type::kInteger, .minimum = 1, .fallback = "1"},
    {.name = "auto_tune_tensor_fusion", .type = Type::kBoolean, .fallback = "false"},
    {.name = "average_aggregated_gradients", .type = Type::kBoolean, .fallback = "true"},
    {.name = "average_training_metrics", .type = Type::kBoolean, .fallback = "true"},
    {.name = "gradient_compression", .type = Type::kBoolean, .fallback = "false"},
    {.name = "grad_updates_size_file", .type = Type::kString},
    {.name = "mixed_precision", .type = Type::kString, .fallback = R"("O0")", .check = check_precision},
    {.name = "tensor_fusion_cycle_time", .type = Type::kInteger, .minimum = 0, .fallback = "1"},
    {.name = "tensor_fusion_threshold", .type = Type::kInteger, .minimum = 0, .fallback = "64"},
};

constexpr Field kSlurm[] = {
    {.name = "slots_per_node", .type = Type::kInteger, .minimum = 1, .omitted_when_null = true},
    {.name = "gpu_type", .type = Type::kString, .omitted_when_null = true},
    {.name = "sbatch_args", .type = Type::kList, .element = Type::kString, .omitted_when_null = true},
};
constexpr Field kPbs[] = {
    {.name = "slots_per_node", .type = Type::kInteger, .minimum = 1, .omitted_when_null = true},
    {.name = "pbsbatch_args", .type = Type::kList, .element = Type::kString, .omitted_when_null = true},
};

constexpr Field kKerberos[] = {{.name = "config_file", .type = Type::kString, .required = true}};
constexpr Field kSecurity[] = {{.name = "kerberos", .type = Type::kObject, .object = &kKerberosSchema}};

constexpr Field kWebhooks[] = {
    {.name = "webhook_id", .type = Type::kList, .element = Type::kInteger},
    {.name = "webhook_name", .type = Type::kList, .element = Type::kString},
    {.name = "exclude", .type = Type::kBoolean, .fallback = "false"},
};
constexpr Field kPachd[] = {{.name = "host", .type = Type::kString, .required = true},
                            {.name = "port", .type = Type::kInteger, .required = true}};
constexpr Field kProxy[] = {{.name = "scheme", .type = Type::kString, .required = true},
                            {.name = "host", .type = Type::kString, .required = true},
                            {.name = "port", .type = Type::kInteger, .required = true}};
constexpr Field kDataset[] = {{.name = "project", .type = Type::kString, .required = true},
                              {.name = "repo", .type = Type::kString, .required = true},
                              {.name = "commit", .type = Type::kString, .required = true},
                              {.name = "branch", .type = Type::kString, .required = true},
                              {.name = "token", .type = Type::kString, .required = true}};
constexpr Field kPachyderm[] = {
    {.name = "pachd", .type = Type::kObject, .object = &kPachydermPachdSchema, .required = true},
    {.name = "proxy", .type = Type::kObject, .object = &kPachydermProxySchema, .required = true},
    {.name = "dataset", .type = Type::kObject, .object = &kPachydermDatasetSchema, .required = true},
};
constexpr Field kIntegrations[] = {
    {.name = "webhooks", .type = Type::kObject, .object = &kWebhooksSchema},
    {.name = "pachyderm", .type = Type::kObject, .object = &kPachydermSchema},
};

}  // namespace

constinit const ObjectSchema kProfilingSchema = {.fields = kProfiling, .check = check_batches};
constinit const ObjectSchema kOptimizationsSchema = {.fields = kOptimizations};
constinit const ObjectSchema kSlurmSchema = {.fields = kSlurm};
constinit const ObjectSchema kPbsSchema = {.fields = kPbs};
constinit const ObjectSchema kSecuritySchema = {.fields = kSecurity};
constinit const ObjectSchema kKerberosSchema = {.fields = kKerberos};
constinit const ObjectSchema kWebhooksSchema = {.fields = kWebhooks};
constinit const ObjectSchema kPachydermPachdSchema = {.fields = kPachd};
constinit const ObjectSchema kPachydermProxySchema = {.fields = kProxy};
constinit const ObjectSchema kPachydermDatasetSchema = {.fields = kDataset};
constinit const ObjectSchema kPachydermSchema = {.fields = kPachyderm};
constinit const ObjectSchema kIntegrationsSchema = {.fields = kIntegrations};

}  // namespace det::model
