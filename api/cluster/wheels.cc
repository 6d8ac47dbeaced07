// The wheels that entrypoints install into images without the determined package: what is in the folder that
// master.yaml names, as pip reads a page of links. Open to everybody: it is what the package index shows, too.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "api/arguments.h"
#include "api/cluster/routes.h"
#include "base/guarded_work.h"

namespace det::api::routes {

namespace {

namespace fs = std::filesystem;

// What a slow reader, whom nobody knows, makes the server hold.
constexpr std::size_t kPieceBytes = std::size_t{64} << 10;

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

// Null: there is none of that name.
std::shared_ptr<std::ifstream> open_wheel(const std::string& folder, const std::string& name) {
  // Only what the list shows can be had, so that a name is never a path.
  if (!std::ranges::binary_search(wheels_in(folder), name)) return nullptr;
  auto file = std::make_shared<std::ifstream>(fs::path(folder) / name, std::ios::binary);
  return file->is_open() ? file : nullptr;
}

// Empty at its end.
std::string read_piece(std::ifstream& file) {
  std::string piece(kPieceBytes, '\0');
  file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
  if (file.bad()) throw std::runtime_error("a wheel cannot be read");
  piece.resize(static_cast<std::size_t>(file.gcount()));
  return piece;
}

Task<void> send_file(std::shared_ptr<std::ifstream> file, asio::thread_pool& workers, http::Writer& writer) {
  for (;;) {
    auto work = [file] { return read_piece(*file); };
    std::string piece = co_await run_guarded(workers, std::move(work));
    if (piece.empty()) co_return;
    const bool goes_on = co_await writer.write(std::move(piece));
    if (!goes_on) co_return;
  }
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
  auto work = [folder, name] { return open_wheel(folder, name); };
  auto wheel = co_await run_guarded(services.workers, std::move(work));
  if (!wheel) co_return fail(ErrorCode::kNotFound, "no wheel '" + name + "' is served; GET /harness/wheels lists them");
  http::Response response;
  response.headers.add("Content-Type", "application/octet-stream");
  response.stream = [&workers = services.workers, wheel = std::move(wheel)](http::Writer& writer) {
    return send_file(wheel, workers, writer);
  };
  co_return response;
}

}  // namespace det::api::routes
