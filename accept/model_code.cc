#include "accept/model_code.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "accept/objections.h"
#include "accept/on_workers.h"
#include "base/encoding.h"
#include "base/json_get.h"
#include "base/tgz.h"
#include "k8sclient/resource.h"
#include "model/cluster/cluster_defaults.h"
#include "model/pod/pod_policy_check.h"
#include "pods/code_source.h"

namespace det::accept {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxArchive = 150 * 1024;
constexpr std::uint64_t kMaxUnpacked = 95ull << 20;  // what an upload may hold, too

Objection refuse(RefusalReason reason, std::string field, std::string message) {
  return accept::refuse(reason, Part::kContext, std::move(field), std::move(message));
}

FieldErrors refused_source(const model::MasterConfig& master, const CodeRequest& wanted, const json& source) {
  const std::string pool = model::pool_or_default(wanted.pool, wanted.slots, master);
  const json defaults = model::cluster_layer(model::cluster_defaults(master), wanted.slots, wanted.pool);
  return model::check_code_source(source, defaults, master.pod_policies.of(wanted.ns, pool));
}

// The files that the map `items` (key -> path) asks for, or all.
struct Files {
  const json& text;
  const json& binary;
  const json& items;

  [[nodiscard]] std::vector<TarEntry> read() const;
  // A key that is asked for and not there; empty: none.
  [[nodiscard]] std::string missing() const;

 private:
  void add(std::vector<TarEntry>& entries, const std::string& key, std::string content) const;
};

void Files::add(std::vector<TarEntry>& entries, const std::string& key, std::string content) const {
  std::string path = key;
  if (!items.empty()) {
    if (!items.contains(key)) return;
    path = get_string(items, key);
  }
  entries.push_back({.path = std::move(path),
                     .type = TarEntry::Type::kFile,
                     .mode = 0644,
                     .mtime = 0,
                     .content = std::move(content)});
}

std::vector<TarEntry> Files::read() const {
  std::vector<TarEntry> entries;
  for (const auto& [key, value] : text.items()) add(entries, key, value.get<std::string>());
  for (const auto& [key, value] : binary.items()) {
    auto bytes = base64_decode(value.get<std::string>());
    if (bytes) add(entries, key, std::move(*bytes));
  }
  return entries;
}

std::string Files::missing() const {
  for (const auto& [key, path] : items.items()) {
    if (!text.contains(key) && !binary.contains(key)) return key;
  }
  return {};
}

}  // namespace

store::ContextRef inherited_code(store::ContextRef parent) {
  if (parent.sha256.empty()) return {};
  if (parent.kind != "git" && parent.kind != "pvc") parent.kind = "stored";
  return parent;
}

Task<Result<json>> load_code_source(store::ContextStore& contexts, store::ContextRef ref) {
  if (ref.kind != "git" && ref.kind != "pvc") co_return json();
  auto text = co_await contexts.get(ref.sha256);
  if (!text) co_return std::unexpected(with_context(std::move(text).error(), "load the code's source"));
  json source = *text ? json::parse(**text, nullptr, false) : json();
  if (!source.is_object()) co_return fail(ErrorCode::kInternal, "the code's source " + ref.sha256 + " is gone");
  co_return source;
}

Task<Result<ModelCode::Found>> ModelCode::take(const model::MasterConfig& master, CodeRequest wanted) {
  CodeFound known{.ref = {}, .source = wanted.context};
  if (wanted.code) {
    auto source = co_await load_code_source(contexts_, *wanted.code);
    DET_CO_TRY(source);
    known = {.ref = *wanted.code, .source = std::move(*source)};
  }
  FieldErrors errors = wanted.is_checked ? refused_source(master, wanted, known.source) : FieldErrors();
  if (!errors.empty()) {
    co_return Found(
        Objection{.reason = RefusalReason::kInvalidContext, .part = Part::kContext, .errors = std::move(errors)});
  }
  if (wanted.code) co_return Found(std::move(known));
  co_return co_await find(std::move(wanted.context));
}

Task<Result<ModelCode::Found>> ModelCode::find(json context) {
  if (!context.is_object()) co_return Found(CodeFound());
  if (context.contains("configMap")) co_return co_await of_config_map(context["configMap"]);
  if (context.contains("archive")) co_return co_await of_archive(get_string(context, "archive"));
  if (context.contains("stored")) co_return co_await uploaded(get_string(context["stored"], "sha256"));
  if (pods::is_code_source(context)) co_return co_await fetched_by_pods(std::move(context));
  const std::string kind = context.empty() ? "nothing" : context.begin().key();
  co_return Found(
      refuse(RefusalReason::kContextNotSupported, "",
             "this version reads model code from configMap, git, pvc, archive or stored, not from " + kind));
}

// What is kept is where from, as text beside uploaded code, so that it stays as it was accepted.
Task<Result<ModelCode::Found>> ModelCode::fetched_by_pods(json context) {
  if (auto error = pods::code_source_error(context)) {
    co_return Found(refuse(RefusalReason::kInvalidContext, std::move(error->field), std::move(error->message)));
  }
  std::string text = context.dump();
  store::ContextRef ref{.kind = pods::code_source_kind(context), .sha256 = sha256_hex(text)};
  auto kept = co_await contexts_.put(ref.sha256, std::move(text));
  if (!kept) co_return std::unexpected(with_context(std::move(kept).error(), "keep the code's source"));
  co_return Found(CodeFound{.ref = std::move(ref), .source = std::move(context)});
}

Task<Result<ModelCode::Found>> ModelCode::of_config_map(json source) {
  const std::string name = get_string(source, "name");
  auto found = co_await kubernetes_.get(k8s::config_maps(), {.ns = ns_, .name = name});
  if (!found && found.error().code == ErrorCode::kNotFound) {
    Objection missing = refuse(RefusalReason::kContextNotFound, "configMap.name",
                               "ConfigMap " + ns_ + "/" + name + " does not exist; create it, it then starts");
    missing.may_pass = true;
    co_return Found(std::move(missing));
  }
  DET_CO_TRY(found);
  const Files files{.text = get_object(*found, "data"),
                    .binary = get_object(*found, "binaryData"),
                    .items = get_object(source, "items")};
  if (const std::string key = files.missing(); !key.empty()) {
    co_return Found(
        refuse(RefusalReason::kContextNotFound, "configMap.items", "ConfigMap " + name + " has no key " + key));
  }
  auto packed = co_await run_on_workers(workers_, [&files] { return pack_tgz(files.read()); });
  if (!packed) co_return Found(refuse(RefusalReason::kInvalidContext, "configMap.items", packed.error().message));
  co_return co_await keep(std::move(*packed), "configMap");
}

Task<Result<ModelCode::Found>> ModelCode::of_archive(std::string base64) {
  auto bytes = base64_decode(base64);
  if (!bytes)
    co_return Found(refuse(RefusalReason::kInvalidContext, "archive", "not base64: " + bytes.error().message));
  if (bytes->size() > kMaxArchive) {
    co_return Found(refuse(RefusalReason::kInvalidContext, "archive",
                           std::to_string(bytes->size()) + " bytes packed; up to " + std::to_string(kMaxArchive) +
                               " work here, use `stored` or a configMap for more"));
  }
  // What fits into an object can unpack to a thousand times its size.
  const auto unpacks = [&bytes]() -> Status {
    const auto entries = unpack_tgz(*bytes, kMaxUnpacked);
    DET_TRY(entries);
    return {};
  };
  const Status unpacked = co_await run_on_workers(workers_, unpacks);
  if (!unpacked) co_return Found(refuse(RefusalReason::kInvalidContext, "archive", unpacked.error().message));
  co_return co_await keep(std::move(*bytes), "archive");
}

Task<Result<ModelCode::Found>> ModelCode::uploaded(std::string sha256) {
  auto exists = co_await contexts_.exists(sha256);
  DET_CO_TRY(exists);
  if (*exists) co_return Found(CodeFound{.ref = {.kind = "stored", .sha256 = std::move(sha256)}, .source = nullptr});
  co_return Found(
      refuse(RefusalReason::kContextNotFound, "stored.sha256",
             "nothing was uploaded with the digest " + sha256 + "; upload it with `det experiment create`"));
}

Task<Result<ModelCode::Found>> ModelCode::keep(std::string bytes, std::string kind) {
  std::string sha256 = sha256_hex(bytes);
  auto kept = co_await contexts_.put(sha256, std::move(bytes));
  if (!kept) co_return std::unexpected(with_context(std::move(kept).error(), "keep the model code"));
  co_return Found(CodeFound{.ref = {.kind = std::move(kind), .sha256 = std::move(sha256)}, .source = nullptr});
}

}  // namespace det::accept
