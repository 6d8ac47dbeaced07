#pragma once

// A listing that comes in pages, as object storages send it. A storage may be a user's own and hostile: pages and time
// are bounded, and its answers, of up to 8 MiB, are read beside the io thread, to which all else belongs.

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <boost/asio/thread_pool.hpp>

#include "base/clock.h"
#include "base/http_client.h"
#include "storage/key_listing.h"

namespace det::storage {

// A page may name nothing; a listing of kMostFiles has 200 pages.
inline constexpr std::size_t kMostPages = 2'000;
inline constexpr std::chrono::minutes kLongestListing{5};

// Asks for the page that was called so; empty: for the first one.
using FetchPage = std::function<Task<Result<HttpResponse>>(std::string continue_with)>;
// What its body says; called on a thread of the pool. Pure.
using ReadPage = Result<ListedPage> (*)(const std::string& body);

// The files below `folder`, which ends in '/', by path. Errors: those of `fetch`, `read` and KeyListing;
// kResourceExhausted for too many pages, kDeadlineExceeded, kUnavailable where a page leads to itself.
Task<Result<std::vector<StoredFile>>> list_pages(Clock& clock, boost::asio::thread_pool& workers, std::string folder,
                                                 FetchPage fetch, ReadPage read);

}  // namespace det::storage
