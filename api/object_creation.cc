#include "api/object_creation.h"

#include <string_view>
#include <utility>

#include "api/experiments/experiment_object.h"
#include "base/json_get.h"

namespace det::api {
namespace {

bool is_ours(const wire::Json& object, const std::string& nonce) {
  return get_string(get_any(get_any(object, "metadata"), "annotations"), std::string(kNonceAnnotation)) == nonce;
}

std::string namespace_of(const wire::Json& object) {
  return get_string(get_any(object, "metadata"), "namespace");
}

// "an Experiment", "a Task".
std::string with_article(const std::string& kind) {
  return (std::string_view("AEIOU").contains(kind.front()) ? "an " : "a ") + kind;
}

}  // namespace

Task<Status> try_object(ApiServices& services, ObjectToMake kind, wire::Json object) {
  k8s::WriteOptions options;
  options.dry_run = true;
  options.strict_fields = true;
  std::string ns = namespace_of(object);
  const auto tried = co_await services.kubernetes.create(kind.resource, std::move(ns), std::move(object), options);
  if (tried) co_return Status();
  co_return std::unexpected(kind.refused(tried.error()));
}

Task<Result<wire::Json>> make_object(ApiServices& services, ObjectToMake kind, wire::Json object, std::string name,
                                     std::string nonce) {
  const std::string ns = namespace_of(object);
  auto made = co_await services.kubernetes.create(kind.resource, ns, std::move(object), {});
  if (made) co_return made;
  const k8s::ObjectKey key{.ns = ns, .name = std::move(name)};
  auto found = co_await services.kubernetes.get(kind.resource, key);
  if (found && is_ours(*found, nonce)) co_return found;
  if (made.error().code == ErrorCode::kAlreadyExists) {
    co_return fail(ErrorCode::kAlreadyExists,
                   with_article(kind.resource.kind) + " object " + to_string(key) +
                       " exists already and belongs to something else; delete or rename it, then submit again");
  }
  co_return std::unexpected(kind.refused(made.error()));
}

}  // namespace det::api
