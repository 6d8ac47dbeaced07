// The wheels that entrypoints install into images without the determined package: what is in the folder that
// master.yaml names, as pip reads a page of links. Open to everybody: it is what the package index shows, too.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "api/arguments.h"
#include "api/cluster/routes.h"
#include "base/guarded_work.h"

namespace det::api::routes {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> wheels_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.ends_with(".whl")) names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

std::string page_of(const std::vector<std::string>& names) {
  std::string page = "<!DOCTYPE html>\n<title>wheels</title>\n";
  for (const std::string& name : names) page += "<a href=\"" + name + "\">" + name + "</a><br>\n";
  return page;
}

std::unexpected<Error> no_wheels() {
  return fail(ErrorCode::kNotFound, "this cluster serves no wheels: harness.wheelhouse of master.yaml names no folder");
}

}  // namespace

Task<Result<http::Response>> list_wheels(ApiServices& services, Call) {
  const std::string folder = services.settings.master.harness.wheelhouse;
  if (folder.empty()) co_return no_wheels();
  auto work = [folder] { return page_of(wheels_in(folder)); };
  http::Response response;
  response.headers.add("Content-Type", "text/html; charset=utf-8");
  response.body = co_await run_guarded(services.workers, std::move(work));
  co_return response;
}

Task<Result<http::Response>> get_wheel(ApiServices& services, Call call) {
  const std::string folder = services.settings.master.harness.wheelhouse;
  if (folder.empty()) co_return no_wheels();
  const std::string name = path_text(call.request, "name");
  auto work = [folder, name]() -> std::optional<std::string> {
    // Only what the list shows can be had, so that a name is never a path.
    const std::vector<std::string> names = wheels_in(folder);
    if (!std::ranges::binary_search(names, name)) return std::nullopt;
    std::ifstream file(fs::path(folder) / name, std::ios::binary);
    return std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  };
  auto bytes = co_await run_guarded(services.workers, std::move(work));
  if (!bytes) co_return fail(ErrorCode::kNotFound, "no wheel '" + name + "' is served; GET /harness/wheels lists them");
  http::Response response;
  response.headers.add("Content-Type", "application/octet-stream");
  response.body = std::move(*bytes);
  co_return response;
}

}  // namespace det::api::routes
