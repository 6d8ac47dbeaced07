#include "main/operator/checkpoint_storage.h"

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace det::main {
namespace {

constexpr int kConnections = 16;  // as many as there are downloads at once
constexpr int kThreads = 2;       // of their own: who creates experiments does not wait for what is compressed

// The cluster's own storage is the administrator's choice, too.
std::vector<std::string> endpoints_of(const model::MasterConfig& master) {
  std::vector<std::string> all = master.checkpoint_downloads.endpoints;
  if (std::string own = storage::endpoint_of(master.checkpoint_storage); !own.empty()) all.push_back(std::move(own));
  return all;
}

std::optional<std::string> variable_of_environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

}  // namespace

CheckpointStorage::CheckpointStorage(asio::any_io_executor executor, Clock& clock, const model::MasterConfig& master)
    : workers_(kThreads),
      calls_(std::move(executor), kConnections),
      gcs_(calls_, clock, workers_, storage::gcs_settings(variable_of_environment)),
      access_{
          .transport = calls_, .clock = clock, .workers = workers_, .gcs = gcs_, .endpoints = endpoints_of(master)} {}

}  // namespace det::main
