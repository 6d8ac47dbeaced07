// The model code of an experiment as it was submitted: as text in JSON, as an archive, and file by file.

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "api/arguments.h"
#include "api/body.h"
#include "api/experiments/model_tree.h"
#include "api/experiments/named_experiment.h"
#include "api/experiments/routes.h"
#include "api/stored_code.h"
#include "api/stream_gate.h"
#include "base/encoding.h"
#include "base/tgz.h"
#include "base/turns.h"

namespace det::api::routes {

namespace {

// What an upload may hold.
constexpr std::uint64_t kMostUnpacked = std::uint64_t{95} << 20;
constexpr std::size_t kLongestName = 50;
constexpr std::size_t kLargeAnswer = std::size_t{1} << 20;

// The experiment of the request, which has model code.
Task<Result<store::ExperimentRow>> with_code(ApiServices& services, Call call) {
  auto row = co_await named_experiment(services, std::move(call));
  DET_CO_TRY(row);
  const std::string& kind = row->context.kind;
  if (row->context.sha256.empty() || kind == "git" || kind == "pvc") {
    co_return fail(ErrorCode::kNotFound,
                   "experiment '" + to_string(row->id) + "' has no stored model code: it comes from '" + kind + "'");
  }
  co_return row;
}

struct WholeCode {
  store::ExperimentRow row;
  Turns::Turn turn;     // for as long as the archive is in memory
  std::string archive;  // gzipped tar
};

Task<Result<WholeCode>> whole_code(ApiServices& services, Call call) {
  const std::string account = call.request.account;
  auto row = co_await with_code(services, std::move(call));
  DET_CO_TRY(row);
  const std::string sha256 = row->context.sha256;
  Turns::Turn turn = co_await services.code_turns.wait(account);
  auto bytes = co_await services.stores.contexts.get(sha256);
  DET_CO_TRY(bytes);
  if (!*bytes) co_return code_is_gone(sha256);
  co_return WholeCode{.row = std::move(*row), .turn = std::move(turn), .archive = std::move(**bytes)};
}

Task<void> send_held(std::shared_ptr<const std::string> content, http::Writer& writer) {
  for (std::size_t at = 0; at < content->size(); at += kLargeAnswer) {
    if (!co_await writer.write(content->substr(at, kLargeAnswer))) co_return;
  }
}

// Who reads slowly holds it for long.
Result<http::Response> held_until_sent(ApiServices& services, const std::string& account, http::Response response) {
  if (response.body.size() <= kLargeAnswer) return response;
  auto pass = services.downloads.enter(account);
  DET_TRY(pass);
  struct Held {
    StreamGate::Pass pass;
    std::string content;
  };
  auto held = std::make_shared<Held>(Held{.pass = std::move(*pass), .content = std::exchange(response.body, {})});
  response.stream = [held](http::Writer& writer) { return send_held({held, &held->content}, writer); };
  return response;
}

// Never shown by a browser, whatever is in it: the code is people's, the page would be ours.
void attach(http::Response& response, const char* type, const std::string& name) {
  response.headers.add("Content-Type", type);
  response.headers.add("X-Content-Type-Options", "nosniff");
  response.headers.add("Content-Disposition", "attachment; filename=\"" + name + "\"");
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
  auto code = co_await whole_code(services, call);
  DET_CO_TRY(code);
  auto work = [archive = std::move(code->archive), make = std::move(make)]() -> Result<std::string> {
    const auto json = make(archive);
    DET_TRY(json);
    return wire::dump(*json);
  };
  auto text = co_await run_guarded(services.workers, std::move(work));
  DET_CO_TRY(text);
  co_return held_until_sent(services, call.request.account, http::Response::json(std::move(*text)));
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
  const auto row = co_await with_code(services, std::move(call));
  DET_CO_TRY(row);
  co_return co_await answer_with_code(services, row->context.sha256, code_as_json());
}

Task<Result<http::Response>> download_model_def(ApiServices& services, Call call) {
  const auto row = co_await with_code(services, std::move(call));
  DET_CO_TRY(row);
  auto response = co_await answer_with_code(services, row->context.sha256, {});
  DET_CO_TRY(response);
  const std::string name = "_" + plain_name(row->title, "_ -()[].{}");
  attach(*response, "application/x-gtar",
         "exp" + to_string(row->id) + name.substr(0, kLongestName) + "_model_def.tar.gz");
  co_return response;
}

Task<Result<http::Response>> download_model_file(ApiServices& services, Call call) {
  const std::string path = QueryArguments(call.request.query).text("path").value_or("");
  if (path.empty()) co_return fail(ErrorCode::kInvalidArgument, "missing argument: path", "path");
  auto code = co_await whole_code(services, call);
  DET_CO_TRY(code);
  auto work = [archive = std::move(code->archive), path] { return file_of(archive, path); };
  auto content = co_await run_guarded(services.workers, std::move(work));
  DET_CO_TRY(content);
  http::Response response;
  attach(response, "application/octet-stream", "exp" + to_string(code->row.id) + "/" + plain_name(path, "_ -()[].{}/"));
  response.body = std::move(*content);
  co_return held_until_sent(services, call.request.account, std::move(response));
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
