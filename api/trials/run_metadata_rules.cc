#include "api/trials/run_metadata_rules.h"

#include <string>

namespace det::api {

namespace {

class Walk {
 public:
  Status visit(const wire::Json& value, const std::string& path, int depth) {
    if (depth > kDeepestMetadata) {
      return refused(path, "metadata exceeds maximum nesting depth of " + std::to_string(kDeepestMetadata));
    }
    if (value.is_object() && !value.empty()) return visit_members(value, path, depth);
    if (value.is_array() && !value.empty()) return visit_items(value, path, depth);
    if (++values_ > kMostMetadataValues) {
      return refused(path, "request exceeds run metadata key count limit of " + std::to_string(kMostMetadataValues));
    }
    if (value.is_string() && value.get_ref<const std::string&>().size() > kLongestMetadataText) {
      return refused(path, "metadata string value exceeds maximum length of " + std::to_string(kLongestMetadataText) +
                               " characters");
    }
    return {};
  }

 private:
  static std::unexpected<Error> refused(const std::string& path, const std::string& message) {
    const std::string field = "metadata" + path;
    return fail(ErrorCode::kInvalidArgument, "error flattening metadata: " + message + " (at " + field + ")", field);
  }

  Status visit_members(const wire::Json& object, const std::string& path, int depth) {
    for (const auto& [key, value] : object.items()) {
      if (key.size() > kLongestMetadataKey) {
        return refused(path,
                       "metadata key exceeds maximum length of " + std::to_string(kLongestMetadataKey) + " characters");
      }
      if (key.find_first_of("$.[]") != std::string::npos) {
        return refused(path + "." + key, "metadata keys can not contain the following character(s):  $ . [ ]");
      }
      DET_TRY(visit(value, path + "." + key, depth + 1));
    }
    return {};
  }

  Status visit_items(const wire::Json& list, const std::string& path, int depth) {
    if (list.size() > kLongestMetadataList) {
      return refused(path, "metadata array exceeds maximum length of " + std::to_string(list.size()) + "/" +
                               std::to_string(kLongestMetadataList) + " elements");
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      DET_TRY(visit(list[i], path + "[" + std::to_string(i) + "]", depth + 1));
    }
    return {};
  }

  std::size_t values_ = 0;
};

}  // namespace

Status check_run_metadata(const wire::Json& metadata) {
  return Walk().visit(metadata, "", 0);
}

}  // namespace det::api
