#include "api/metric_group.h"

namespace det::api {

Result<std::string> read_metric_group(const QueryArguments& arguments) {
  const std::string group = arguments.text("group").value_or("");
  const std::string type = arguments.text("metricType").value_or("");
  if (type.empty() || type == "METRIC_TYPE_UNSPECIFIED") return group;
  if (!group.empty()) {
    return fail(ErrorCode::kInvalidArgument, "metricType: cannot specify both legacy and new metric group",
                "metricType");
  }
  if (type == "METRIC_TYPE_TRAINING") return "training";
  if (type == "METRIC_TYPE_VALIDATION") return "validation";
  return fail(ErrorCode::kInvalidArgument,
              "metricType: '" + type + "' is not METRIC_TYPE_TRAINING or METRIC_TYPE_VALIDATION", "metricType");
}

}  // namespace det::api
