#include "local/agent/first_process.h"

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fstream>

namespace det::local {
namespace {

constexpr std::size_t kLongestName = 15;  // of a process, to the kernel

}  // namespace

bool hears_term(int pid, const std::string& bwrap) {
  const std::string maker = bwrap.substr(bwrap.rfind('/') + 1).substr(0, kLongestName);
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  std::uint64_t known = 0;
  for (std::string line; std::getline(file, line);) {
    if (line == "Name:\t" + maker) return false;
    const auto colon = line.find(':');
    const std::string key = line.substr(0, colon);
    if (key != "SigBlk" && key != "SigIgn" && key != "SigCgt") continue;
    known |= std::strtoull(line.c_str() + colon + 1, nullptr, 16);
  }
  return (known >> (SIGTERM - 1) & 1U) != 0;
}

}  // namespace det::local
