#include "cli/upload.h"

#include <chrono>
#include <filesystem>
#include <functional>

namespace det::cli {
namespace {

constexpr std::uint64_t kShowUploadFrom = std::uint64_t{1} << 20U;

std::function<void(std::uint64_t, std::uint64_t)> upload_progress(World& world, std::size_t bytes) {
  if (!world.err_is_terminal || bytes < kShowUploadFrom) return {};
  return [&world, shown = std::uint64_t{101}](std::uint64_t sent, std::uint64_t total) mutable {
    const std::uint64_t percent = sent * 100 / total;
    if (percent == shown) return;
    shown = percent;
    world.err << "\rUploading " << size_text(static_cast<double>(total)) << "... " << percent << "%\x1b[K";
    if (sent == total) world.err << "\r\x1b[K";
    world.err << std::flush;
  };
}

}  // namespace

Result<Context> read_files_aloud(World& world, const std::string& folder, const std::vector<std::string>& includes,
                                 bool out_is_for_programs) {
  ContextRequest request{.folder = folder, .includes = {}};
  for (const auto& include : includes) request.includes.emplace_back(include);
  if (folder.empty() && includes.empty()) return Context();
  std::error_code ignored;
  const auto place =
      std::filesystem::weakly_canonical(folder.empty() ? request.includes.front() : request.folder, ignored);
  const auto text = [&place](const Context& context) {
    return "Preparing files (" + place.string() + ") to send to master... " +
           size_text(static_cast<double>(context.bytes)) + " and " + std::to_string(context.files.size()) + " files";
  };
  std::ostream& out = out_is_for_programs ? world.err : world.out;
  const bool is_live = out_is_for_programs ? world.err_is_terminal : world.out_is_terminal;
  auto last = std::chrono::steady_clock::time_point();
  const auto show = [&](const Context& context) {
    if (!is_live) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - last < std::chrono::milliseconds(50)) return;
    last = now;
    out << "\r" << text(context) << "\x1b[K" << std::flush;
  };
  auto context = read_context(request, show);
  if (is_live) out << "\r\x1b[K";
  if (!context) return context;
  out << text(*context) << std::endl;
  for (const auto& line : context->unreadable) world.err << line << "\n";
  return context;
}

Task<Result<Json>> upload_aloud(World& world, MasterClient client, std::string path, Json body) {
  std::string bytes = body.dump(-1, ' ', false, Json::error_handler_t::replace);
  auto progress = upload_progress(world, bytes.size());
  co_return co_await client.upload(std::move(path), std::move(bytes), std::move(progress));
}

void print_config_warnings(World& world, const Json& answer) {
  const Json warnings = field(answer, "configWarnings");
  if (!warnings.is_array()) return;
  for (const Json& warning : warnings) {
    if (!warning.is_string()) continue;
    world.err << colored("Warning: " + warning.get<std::string>(), Color::kYellow, world.err_is_terminal) << "\n";
  }
}

void print_launch_warnings(World& world, const Json& answer) {
  const Json warnings = field(answer, "warnings");
  if (!warnings.is_array() || warnings.empty()) return;
  world.err << colored(
                   "Warning: The requested job requires more slots than currently available. You may need to "
                   "increase cluster resources in order for the job to run.",
                   Color::kYellow, world.err_is_terminal)
            << "\n";
}

}  // namespace det::cli
