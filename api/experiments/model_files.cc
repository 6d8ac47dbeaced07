// The model code of an experiment as it was submitted: as text in JSON, as an archive, and file by file.

#include <algorithm>
#include <functional>

#include "api/arguments.h"
#include "api/body.h"
#include "api/experiments/model_tree.h"
#include "api/experiments/named_experiment.h"
#include "api/experiments/routes.h"
#include "base/encoding.h"
#include "base/tgz.h"

namespace det::api::routes {

namespace {

// What an upload may hold.
constexpr std::uint64_t kMostUnpacked = std::uint64_t{95} << 20;
constexpr std::size_t kLongestName = 50;

struct StoredCode {
  store::ExperimentRow row;
  std::string archive;  // gzipped tar
};

Task<Result<StoredCode>> model_code_of(ApiServices& services, Call call) {
  auto found = co_await named_experiment(services, std::move(call));
  DET_CO_TRY(found);
  StoredCode code{.row = std::move(*found), .archive = {}};
  const std::string sha256 = code.row.context.sha256;
  const std::string& kind = code.row.context.kind;
  if (sha256.empty() || kind == "git" || kind == "pvc") {
    co_return fail(ErrorCode::kNotFound, "experiment '" + to_string(code.row.id) +
                                             "' has no stored model code: it comes from '" + kind + "'");
  }
  auto bytes = co_await services.stores.contexts.get(sha256);
  DET_CO_TRY(bytes);
  if (!*bytes) co_return fail(ErrorCode::kNotFound, "the model code with the digest " + sha256 + " is gone");
  code.archive = std::move(**bytes);
  co_return code;
}

// Never shown by a browser, whatever is in it: the code is people's, the page would be ours.
http::Response attachment(std::string content, const char* type, const std::string& name) {
  http::Response response;
  response.headers.add("Content-Type", type);
  response.headers.add("X-Content-Type-Options", "nosniff");
  response.headers.add("Content-Disposition", "attachment; filename=\"" + name + "\"");
  response.body = std::move(content);
  return response;
}

// kNotFound naming `path`.
Result<std::string> file_of(const std::string& archive, const std::string& path) {
  auto entries = unpack_tgz(archive, kMostUnpacked);
  DET_TRY(entries);
  const auto found = std::ranges::find_if(
      *entries, [&](const TarEntry& entry) { return entry.type == TarEntry::Type::kFile && entry.path == path; });
  if (found != entries->end()) return std::move(found->content);
  return fail(ErrorCode::kNotFound, "the model code has no file '" + path + "'", "path");
}

// What `make` reads out of the code, on a worker.
Task<Result<http::Response>> json_of_archive(ApiServices& services, Call call,
                                             std::function<Result<wire::Json>(const std::string& archive)> make) {
  auto code = co_await model_code_of(services, std::move(call));
  DET_CO_TRY(code);
  auto work = [archive = std::move(code->archive), make = std::move(make)]() -> Result<std::string> {
    const auto json = make(archive);
    DET_TRY(json);
    return wire::dump(*json);
  };
  auto text = co_await run_guarded(services.workers, std::move(work));
  DET_CO_TRY(text);
  co_return http::Response::json(std::move(*text));
}

// What can stand in a quoted name of a header and in names of files.
std::string plain_name(const std::string& name, std::string_view more) {
  std::string plain;
  for (const char c : name) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                          more.find(c) != std::string_view::npos;
    if (is_plain) plain += c;
  }
  return plain;
}

}  // namespace

Task<Result<http::Response>> get_model_def(ApiServices& services, Call call) {
  auto code = co_await model_code_of(services, std::move(call));
  DET_CO_TRY(code);
  auto work = [content = std::move(code->archive)] { return "{\"b64Tgz\":\"" + base64_encode(content) + "\"}"; };
  co_return http::Response::json(co_await run_guarded(services.workers, std::move(work)));
}

Task<Result<http::Response>> download_model_def(ApiServices& services, Call call) {
  auto code = co_await model_code_of(services, std::move(call));
  DET_CO_TRY(code);
  const std::string name = "_" + plain_name(code->row.title, "_ -()[].{}");
  co_return attachment(std::move(code->archive), "application/x-gtar",
                       "exp" + to_string(code->row.id) + name.substr(0, kLongestName) + "_model_def.tar.gz");
}

Task<Result<http::Response>> download_model_file(ApiServices& services, Call call) {
  const std::string path = QueryArguments(call.request.query).text("path").value_or("");
  if (path.empty()) co_return fail(ErrorCode::kInvalidArgument, "missing argument: path", "path");
  auto code = co_await model_code_of(services, std::move(call));
  DET_CO_TRY(code);
  auto work = [archive = std::move(code->archive), path] { return file_of(archive, path); };
  auto content = co_await run_guarded(services.workers, std::move(work));
  DET_CO_TRY(content);
  co_return attachment(std::move(*content), "application/octet-stream",
                       "exp" + to_string(code->row.id) + "/" + plain_name(path, "_ -()[].{}/"));
}

Task<Result<http::Response>> model_file_tree(ApiServices& services, Call call) {
  return json_of_archive(services, std::move(call), [](const std::string& archive) -> Result<wire::Json> {
    const auto entries = unpack_tgz(archive, kMostUnpacked);
    DET_TRY(entries);
    return wire::Json{{"files", model_tree(*entries)}};
  });
}

Task<Result<http::Response>> get_model_file(ApiServices& services, Call call) {
  const auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  fields.require("path");
  const std::string path = fields.string("path").value_or("");
  DET_CO_TRY(fields.status());
  auto make = [path](const std::string& archive) -> Result<wire::Json> {
    const auto content = file_of(archive, path);
    DET_TRY(content);
    return wire::Json{{"file", base64_encode(*content)}};
  };
  co_return co_await json_of_archive(services, std::move(call), std::move(make));
}

}  // namespace det::api::routes
