#pragma once

// What holds of every document, right or wrong, whatever is done with it. For the fuzzer and for the cases we have.

#include <string>

#include <nlohmann/json.hpp>

#include "model/expconf/accept_config.h"
#include "model/expconf/schema_catalogue.h"

namespace det::model {

// Which rule `value` (over `source`) breaks with `schema`; empty when none.
inline std::string broken_schema_rule(const NamedSchema& schema, const nlohmann::json& value,
                                      const nlohmann::json& source) {
  const auto run = [&](SchemaOp op, const nlohmann::json& given) {
    return apply_schema(schema, op, given, source, RuntimeDefaults());
  };
  const bool is_sane = run(SchemaOp::kCheckSane, value).has_value();
  if (run(SchemaOp::kCheckComplete, value) && !is_sane) return "complete but not sane";
  const auto defaulted = run(SchemaOp::kDefault, value);
  if (is_sane != defaulted.has_value()) return "sane but without defaults, or the other way round";
  // The long form of these is not of the narrower schema that the short form was held against.
  const bool is_closed = schema.narrow == nullptr;
  if (defaulted && is_closed) {
    const auto again = run(SchemaOp::kDefault, *defaulted);
    if (!again) return "the defaults are refused: " + join_errors(again.error());
    if (*again != *defaulted)
      return "defaults of the defaults differ: " + nlohmann::json::diff(*defaulted, *again).dump();
  }
  // Two sane documents can make one that is not (a grid over another's ranges), but never one that cannot be printed.
  const auto merged = run(SchemaOp::kMerge, value);
  if (merged && nlohmann::json::parse(merged->dump()) != *merged) return "the merged reads back differently";
  return "";
}

// The same of accepting `user` on the template `base`.
inline std::string broken_acceptance_rule(const nlohmann::json& user, const nlohmann::json& base) {
  const nlohmann::json cluster = {{"checkpoint_storage", {{"type", "directory"}, {"container_path", "/c"}}}};
  AcceptContext context;
  context.template_config = base;
  const auto accepted = accept_config(user, cluster, context);
  if (!accepted) return accepted.error().empty() ? "refused without an error" : "";
  context.template_config = nullptr;
  const auto again = accept_config(accepted->document, cluster, context);
  if (!again) return "what was accepted is refused: " + join_errors(again.error());
  if (again->document == accepted->document) return "";
  return "what was accepted changes: " + nlohmann::json::diff(accepted->document, again->document).dump();
}

}  // namespace det::model
