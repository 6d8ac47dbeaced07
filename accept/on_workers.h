#pragma once

// Work of the gates that takes a while, on a pool where there is one.

#include <type_traits>
#include <utility>

#include "base/guarded_work.h"

namespace det::accept {

// As run_guarded; without workers (tests, simulations) right here.
template <typename Work>
Task<std::invoke_result_t<Work>> run_on_workers(asio::thread_pool* workers, Work work) {
  if (workers == nullptr) co_return work();
  co_return co_await run_guarded(*workers, std::move(work));
}

}  // namespace det::accept
