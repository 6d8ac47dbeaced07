#pragma once

// An experiment as the wire has it.

#include <cstddef>
#include <type_traits>
#include <utility>

#include "api/services.h"
#include "base/guarded_work.h"
#include "base/task.h"
#include "wire/forms.h"

namespace det::api {

// Without secrets of its configuration. Takes a third of a millisecond for each kilobyte of it. Pure.
[[nodiscard]] wire::Json experiment_json(const ApiServices& services, store::ExperimentView view);

// Bytes of a configuration's text. An answer with a longer one is written on the pool: it would hold up everybody else.
inline constexpr std::size_t kWrittenAtOnce = std::size_t{8} << 10;

// What `write` makes of the experiment; it may throw.
template <typename Write>
Task<std::invoke_result_t<Write>> write_experiment_answer(ApiServices& services, const store::ExperimentView& view,
                                                          Write write) {
  if (view.row.original_config.size() <= kWrittenAtOnce) co_return write();
  co_return co_await run_guarded(services.workers, std::move(write));
}

}  // namespace det::api
