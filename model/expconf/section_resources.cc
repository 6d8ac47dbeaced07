#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "model/expconf/sections.h"
#include "model/expconf/unite_by.h"

namespace det::model {
namespace {

using nlohmann::json;

// "4g", "1.5 GiB", "512": the sizes of `docker run --shm-size`. Units are powers of 1024.
std::optional<std::int64_t> parse_memory_size(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc() || text.starts_with('-') || *(end - 1) == '.') return std::nullopt;
  std::string unit;
  for (const char* c = end; c != text.data() + text.size(); ++c) {
    unit.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(*c))));
  }
  if (unit.starts_with(' ')) unit.erase(0, 1);
  double bytes = number;
  if (!unit.empty() && unit != "b") {
    const std::size_t power = std::string_view("kmgtp").find(unit[0]);
    const std::string rest = unit.substr(1);
    if (power == std::string_view::npos || !(rest.empty() || rest == "b" || rest == "ib")) return std::nullopt;
    bytes *= std::pow(1024.0, static_cast<double>(power + 1));
  }
  if (!(bytes < 9.0e18)) return std::nullopt;  // nan, too
  return static_cast<std::int64_t>(bytes);
}

void check_shm_size(const json& value, std::string_view path, FieldErrors& errors) {
  if (value.is_string()) {
    if (!parse_memory_size(value.get<std::string>())) {
      add_field_error(errors, path, "must be a valid memory size");
    }
  } else if (!whole_number(value)) {
    add_field_error(errors, path, expected_text("integer or string or null", value));
  } else if (*whole_number(value) < 0) {
    add_field_error(errors, path, "must be >= 0 but found " + value.dump());
  }
}

void normalise_shm_size(json& value) {
  if (value.is_string()) {
    value = parse_memory_size(value.get<std::string>()).value_or(0);
  } else {
    value = whole_number(value).value_or(0);
  }
}

constexpr Field kDevice[] = {
    {.name = "host_path", .type = Type::kString, .required = true},
    {.name = "container_path", .type = Type::kString, .required = true},
    {.name = "mode", .type = Type::kString, .fallback = R"("mrw")"},
};

// What trials and the other tasks share.
constexpr Field kMaxSlots = {.name = "max_slots", .type = Type::kInteger};
constexpr Field kWeight = {.name = "weight", .type = Type::kNumber, .fallback = "1"};
constexpr Field kPriority = {.name = "priority", .type = Type::kInteger, .minimum = 1, .maximum = 99};
constexpr Field kPool = {.name = "resource_pool", .type = Type::kString, .fallback = R"("")"};
constexpr Field kShmSize = {.name = "shm_size", .check = check_shm_size, .normalise = normalise_shm_size};
constexpr Field kDevices = {.name = "devices",
                            .type = Type::kList,
                            .object = &kDeviceSchema,
                            .fallback = "[]",
                            .merge = merge_by_container_path,
                            .check_item = check_device,
                            .normalise_item = normalise_device};
constexpr Field kNativeParallel = {.name = "native_parallel", .type = Type::kBoolean, .fallback = "false"};
constexpr Field kAgentLabel = {.name = "agent_label", .type = Type::kString, .dropped = true};

constexpr Field kFields[] = {
    {.name = "slots_per_trial", .type = Type::kInteger, .minimum = 0, .fallback = "1"},
    {.name = "is_single_node", .type = Type::kBoolean},
    kMaxSlots,
    kWeight,
    kPriority,
    kPool,
    kShmSize,
    kDevices,
    kNativeParallel,
    {.name = "slots", .type = Type::kInteger, .omitted_when_null = true},
    kAgentLabel,
};

void refuse_single_node(const json& /*value*/, std::string_view path, FieldErrors& errors) {
  add_field_error(errors, path, "resources.is_single_node cannot be set for NTSCs");
}

// How many slots there are by default depends on the kind of task.
constexpr Field kSlots = {.name = "slots", .type = Type::kInteger, .minimum = 0};
constexpr Field kOfTasks[] = {
    kSlots,          {.name = "is_single_node", .type = Type::kBoolean, .check = refuse_single_node},
    kMaxSlots,       kWeight,
    kPriority,       kPool,
    kShmSize,        kDevices,
    kNativeParallel, kAgentLabel,
};
constexpr Field kOfGenericTasks[] = {
    kSlots,          {.name = "is_single_node", .type = Type::kBoolean, .fallback = "true"},
    kMaxSlots,       kWeight,
    kPriority,       kPool,
    kShmSize,        kDevices,
    kNativeParallel, kAgentLabel,
};

}  // namespace

void check_device(const json& value, std::string_view path, FieldErrors& errors) {
  if (value.is_object()) return validate(kDeviceSchema, value, path, errors);
  if (value.is_string() && value.get_ref<const std::string&>().find(':') != std::string::npos) return;
  add_field_error(errors, path,
                  "is neither a list of --device strings nor a map containing host_path, container_path, and mode");
}

void normalise_device(json& value) {
  if (!value.is_string()) return;
  const auto text = value.get<std::string>();
  const std::size_t first = text.find(':');
  const std::size_t second = text.find(':', first + 1);
  value = {{"host_path", text.substr(0, first)},
           {"container_path", text.substr(first + 1, second == std::string::npos ? second : second - first - 1)}};
  if (second != std::string::npos) value["mode"] = text.substr(second + 1);
}

json merge_by_container_path(const json& ours, const json& theirs) {
  return unite_by("container_path", ours, theirs);
}

constinit const ObjectSchema kDeviceSchema = {.fields = kDevice};
constinit const ObjectSchema kResourcesSchema = {.fields = kFields};
constinit const ObjectSchema kTaskResourcesSchema = {.fields = kOfTasks};
constinit const ObjectSchema kGenericTaskResourcesSchema = {.fields = kOfGenericTasks};

}  // namespace det::model
