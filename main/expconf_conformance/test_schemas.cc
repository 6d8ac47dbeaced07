#include "main/expconf_conformance/test_schemas.h"

#include <nlohmann/json.hpp>

namespace det::conformance {
namespace {

using model::Field;
using model::ObjectSchema;
using model::Type;
using nlohmann::json;

constexpr Field kSub[] = {{.name = "val_y", .type = Type::kString, .fallback = R"("default_y")"}};
constexpr ObjectSchema kSubSchema = {.fields = kSub};

constexpr Field kCommon[] = {
    {.name = "type", .type = Type::kString},
    {.name = "common_val", .type = Type::kString, .fallback = R"("default-common-val")"},
};
constexpr Field kA[] = {{.name = "val_a", .type = Type::kInteger, .required = true}};
constexpr Field kB[] = {{.name = "val_b", .type = Type::kInteger, .required = true}};
constexpr model::Variant kVariants[] = {{.tag = "a", .fields = kA}, {.tag = "b", .fields = kB}};
constexpr ObjectSchema kUnionSchema = {.fields = kCommon,
                                       .tag = "type",
                                       .variants = kVariants,
                                       .tag_error = R"(is not an object where object["type"] is "a" or "b")"};

constexpr Field kRoot[] = {
    {.name = "val_x", .type = Type::kInteger, .required = true},
    {.name = "sub_obj", .type = Type::kObject, .object = &kSubSchema, .fallback = "{}"},
    {.name = "sub_union", .type = Type::kObject, .object = &kUnionSchema},
    {.name = "runtime_defaultable", .type = Type::kInteger},
    {.name = "defaulted_array", .type = Type::kList, .element = Type::kString, .fallback = "[]"},
    {.name = "nodefault_array", .type = Type::kList, .element = Type::kString},
};
constexpr ObjectSchema kRootSchema = {.fields = kRoot};

void set_at_run_time(json& root, const model::RuntimeDefaults& defaults) {
  json& value = root["runtime_defaultable"];
  if (value.is_null()) value = defaults.experiment_seed;
}

constexpr Field object(const ObjectSchema& schema) {
  return {.type = Type::kObject, .object = &schema, .required = true};
}

constexpr model::NamedSchema kSchemas[] = {
    {.file = "test-root.json", .value = object(kRootSchema), .runtime = set_at_run_time},
    {.file = "test-sub.json", .value = object(kSubSchema)},
    {.file = "test-union.json", .value = object(kUnionSchema)},
    {.file = "test-union-a.json", .value = object(kUnionSchema), .member = "a"},
    {.file = "test-union-b.json", .value = object(kUnionSchema), .member = "b"},
};

}  // namespace

std::span<const model::NamedSchema> test_schemas() {
  return kSchemas;
}

}  // namespace det::conformance
