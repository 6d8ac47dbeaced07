#include "local/agent/gpus.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>

#include "local/agent/shim.h"

namespace det::local {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(kSpace) - first + 1));
}

}  // namespace

Result<Gpu> parse_gpu_information(std::string_view text) {
  std::map<std::string, std::string> fields;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const auto colon = line.find(':');
    if (colon != std::string_view::npos) fields[trimmed(line.substr(0, colon))] = trimmed(line.substr(colon + 1));
  }
  const std::string& minor = fields["Device Minor"];
  const std::string& uuid = fields["GPU UUID"];
  const bool is_number = !minor.empty() && minor.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number || !uuid.starts_with("GPU-") || uuid.find('/') != std::string::npos) {
    return fail(ErrorCode::kDataLoss, "the driver's file names no \"GPU UUID\" or no \"Device Minor\"");
  }
  return Gpu{.uuid = uuid, .model = fields["Model"], .device = "/dev/nvidia" + minor};
}

std::vector<Gpu> find_gpus(const std::string& driver_folder) {
  std::vector<Gpu> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(driver_folder + "/gpus", error)) {
    if (auto gpu = parse_gpu_information(read_file(entry.path() / "information"))) found.push_back(std::move(*gpu));
  }
  std::ranges::sort(found, [](const Gpu& a, const Gpu& b) {
    return std::pair(a.device.size(), a.device) < std::pair(b.device.size(), b.device);
  });
  return found;
}

GpuLedger::GpuLedger(std::vector<Gpu> gpus, std::string folder) : gpus_(std::move(gpus)), folder_(std::move(folder)) {
  for (const Gpu& gpu : gpus_) owners_.push_back(read_file(file_of(gpu)));
}

Result<std::vector<Gpu>> GpuLedger::take(const std::string& owner, std::int64_t count) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    if (owners_[i] == owner) chosen.push_back(i);
  }
  const std::size_t known = chosen.size();
  for (std::size_t i = 0; i < gpus_.size() && std::cmp_less(chosen.size(), count); ++i) {
    if (owners_[i].empty()) chosen.push_back(i);
  }
  if (std::cmp_less(chosen.size(), count)) {
    return fail(ErrorCode::kResourceExhausted, "the container asks for " + std::to_string(count) + " of " +
                                                   std::string(kGpuResource) + " and " + std::to_string(chosen.size()) +
                                                   " of this node's " + std::to_string(gpus_.size()) + " are free");
  }
  std::vector<Gpu> taken;
  std::error_code error;
  fs::create_directories(folder_, error);
  for (std::size_t n = 0; n < chosen.size(); ++n) {
    const std::size_t i = chosen[n];
    if (n >= known) {
      const Status noted = write_file_atomically(file_of(gpus_[i]), owner, 0600);
      if (!noted) {
        for (std::size_t before = known; before < n; ++before) release(chosen[before]);
        return std::unexpected(noted.error());
      }
      owners_[i] = owner;
    }
    taken.push_back(gpus_[i]);
  }
  return taken;
}

void GpuLedger::give_back(const std::string& owner) {
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    if (owners_[i] == owner && !owner.empty()) release(i);
  }
}

void GpuLedger::release(std::size_t i) {
  std::error_code ignored;
  fs::remove(file_of(gpus_[i]), ignored);
  owners_[i].clear();
}

void GpuLedger::keep_only(const std::vector<std::string>& prefixes) {
  for (const std::string& owner : std::vector<std::string>(owners_)) {
    const auto begins = [&owner](const std::string& prefix) { return owner.starts_with(prefix); };
    if (std::ranges::none_of(prefixes, begins)) give_back(owner);
  }
}

}  // namespace det::local
