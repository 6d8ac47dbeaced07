#pragma once

// Where the server is: -m, DET_MASTER, DET_MASTER_ADDR, or localhost:8080. Pure.

#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/world.h"

namespace det::cli {

struct MasterAddress {
  std::string url;     // canonical: scheme, host, port, path without a slash at its end
  std::string source;  // "-m", "DET_MASTER" or "the default"
};

// The parts of a canonical URL.
struct MasterPlace {
  bool is_secure = false;
  std::string host;       // without brackets
  std::string authority;  // as it stands in the URL
  std::string port;
  std::string path;  // in front of every other
};
[[nodiscard]] MasterPlace place_of(const std::string& url);

// "host" is http on port 8080, "http://host" port 80, "https://host" port 443; a path is kept. kInvalidArgument for an
// address with user, password, query or fragment, without a host, or with a port that is no number.
[[nodiscard]] Result<std::string> canonical_master_url(std::string_view address);
[[nodiscard]] Result<MasterAddress> find_master(const Invocation& in);

}  // namespace det::cli
