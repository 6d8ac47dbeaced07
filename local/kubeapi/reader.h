#pragma once

// Reads: one object, lists with pages, watches. From memory; a page continues the list it began with, whatever was
// written meanwhile. Belongs to the io thread.

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "base/clock.h"
#include "http/message.h"
#include "local/kubeapi/object_store.h"
#include "local/kubeapi/request.h"

namespace det::local::kubeapi {

struct ReaderOptions {
  std::chrono::milliseconds bookmark_interval{60'000};
  std::chrono::milliseconds version_patience{3'000};  // how long a list waits for a version of the future
};

class Reader {
 public:
  Reader(Clock& clock, ObjectStore& store, ReaderOptions options);

  [[nodiscard]] http::Response get(const ApiRequest& request, const http::Request& http) const;
  Task<http::Response> list(ApiRequest request, const http::Request& http);
  // A refusal at once, or the stream.
  [[nodiscard]] http::Response watch(const ApiRequest& request, const http::Request& http);

  // Ends every watch that is open; the clients come back.
  void cut_watches();
  // Forgets lists that have pages left: their next page gets 410.
  void forget_pages() { pages_.clear(); }
  [[nodiscard]] std::size_t open_watches() const { return open_watches_; }

 private:
  // The rest of a list whose first pages were served.
  struct Pages {
    std::string id;
    std::vector<ObjectRef> objects;
    std::uint64_t version = 0;
    SteadyTime made;
  };
  struct Page {
    std::vector<ObjectRef> objects;
    nlohmann::json meta;
  };
  ApiResult<Page> first_page(const ApiRequest& request, const http::Request& http, std::uint64_t limit);
  ApiResult<Page> next_page(std::string_view token, std::uint64_t limit);
  Page cut(const std::string& id, const std::vector<ObjectRef>& objects, std::size_t from, std::uint64_t version,
           std::uint64_t limit) const;
  [[nodiscard]] std::string render(const ApiRequest& request, const http::Request& http, const Page& page) const;
  // Waits until the store has reached the version the client has seen elsewhere.
  Task<bool> reach(std::uint64_t version);

  Clock& clock_;
  ObjectStore& store_;
  ReaderOptions options_;
  std::deque<Pages> pages_;
  std::uint64_t cuts_ = 0;
  std::size_t open_watches_ = 0;
};

}  // namespace det::local::kubeapi
