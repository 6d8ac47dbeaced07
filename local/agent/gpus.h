#pragma once

// The NVIDIA GPUs of this machine and which container has which. What the driver's files say is enough: no program is
// run.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace det::local {

inline constexpr std::string_view kGpuResource = "nvidia.com/gpu";

struct Gpu {
  std::string uuid;    // "GPU-..."
  std::string model;   // "NVIDIA H100 80GB HBM3"
  std::string device;  // "/dev/nvidia0"
  bool operator==(const Gpu&) const = default;
};

// One file .../gpus/<bus id>/information of the driver. kDataLoss when it names no uuid or no minor number.
[[nodiscard]] Result<Gpu> parse_gpu_information(std::string_view text);
// Those below `driver_folder` ("/proc/driver/nvidia"), by device; none where there is no driver.
[[nodiscard]] std::vector<Gpu> find_gpus(const std::string& driver_folder);

// Belongs to the io thread. Each assignment is a small file, so that an agent that takes over knows what is taken.
class GpuLedger {
 public:
  GpuLedger() = default;
  // Reads what an earlier agent assigned; the folder is made on the first assignment.
  GpuLedger(std::vector<Gpu> gpus, std::string folder);

  [[nodiscard]] const std::vector<Gpu>& all() const { return gpus_; }
  // `count` GPUs: the owner's, and free ones where it has fewer. kResourceExhausted, with the numbers, when there are
  // too few: nothing is taken then.
  [[nodiscard]] Result<std::vector<Gpu>> take(const std::string& owner, std::int64_t count);
  void give_back(const std::string& owner);
  // Gives back what belongs to owners that begin with none of these.
  void keep_only(const std::vector<std::string>& prefixes);

 private:
  [[nodiscard]] std::string file_of(const Gpu& gpu) const { return folder_ + "/" + gpu.uuid; }
  void release(std::size_t i);
  std::vector<Gpu> gpus_;
  std::vector<std::string> owners_;  // of each; empty: free
  std::string folder_;
};

}  // namespace det::local
