#pragma once

// Peers of one allocation tell each other something: each brings its data and waits until all have. Used by harnesses
// that find each other by themselves; kept in memory while somebody waits for it, so all peers must ask the same
// process. Belongs to the io thread.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/async.h"
#include "base/result.h"
#include "wire/forms.h"

namespace det::api {

class AllGather {
 public:
  explicit AllGather(asio::any_io_executor executor) : executor_(std::move(executor)) {}

  // The data of all peers, in the order of their ids. Joining again with the same id replaces what was brought.
  // kInvalidArgument for num_peers below 1, kResourceExhausted when what peers brought and wait for is too much,
  // kAborted when peers disagree about their number, kDeadlineExceeded when they do not come within ten minutes.
  Task<Result<std::vector<wire::Json>>> join(std::string allocation_id, std::string peer_id, int num_peers,
                                             wire::Json data);

 private:
  struct Meeting {
    Meeting(asio::any_io_executor executor, int size) : size(size), arrived(std::move(executor)) {}
    int size;
    std::size_t bytes = 0;  // of what was ever brought
    std::size_t waiting = 0;
    std::map<std::string, wire::Json> data;
    Signal arrived;
  };
  class Attendance;
  asio::any_io_executor executor_;
  std::map<std::string, std::shared_ptr<Meeting>> meetings_;  // by allocation, those that are not complete
};

}  // namespace det::api
