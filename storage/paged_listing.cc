#include "storage/paged_listing.h"

#include <memory>
#include <utility>

#include "base/guarded_work.h"

namespace det::storage {

namespace {

// How the next page is called; empty: it was the last one.
Result<std::string> take_page(KeyListing& listed, const std::string& body, ReadPage read) {
  auto page = read(body);
  DET_TRY(page);
  DET_TRY(listed.add(std::move(page->files)));
  return std::move(page->continue_with);
}

}  // namespace

Task<Result<std::vector<StoredFile>>> list_pages(Clock& clock, boost::asio::thread_pool& workers, std::string folder,
                                                 FetchPage fetch, ReadPage read) {
  const SteadyTime deadline = clock.steady_now() + kLongestListing;
  // Shared with work on the pool, which goes on where this is cancelled.
  const auto listed = std::make_shared<KeyListing>(std::move(folder));
  std::string next;
  for (std::size_t pages = 0;; ++pages) {
    if (pages == kMostPages) {
      co_return fail(ErrorCode::kResourceExhausted,
                     "the storage's listing of it has more than " + std::to_string(kMostPages) + " pages");
    }
    if (clock.steady_now() > deadline) {
      co_return fail(ErrorCode::kDeadlineExceeded, "the storage took more than " +
                                                       std::to_string(kLongestListing.count()) +
                                                       " minutes to say which files it has");
    }
    auto answer = co_await fetch(next);
    DET_CO_TRY(answer);
    auto work = [listed, body = std::move(answer->body), read] { return take_page(*listed, body, read); };
    auto after = co_await run_guarded(workers, std::move(work));
    DET_CO_TRY(after);
    if (after->empty()) break;
    if (*after == next) {
      co_return fail(ErrorCode::kUnavailable, "the storage's listing of it leads from one page to the same again");
    }
    next = std::move(*after);
  }
  co_return co_await run_guarded(workers, [listed] { return listed->finish(); });
}

}  // namespace det::storage
