#pragma once

namespace det::op {

// Index of the pods' informer: to_string of the workload that they belong to.
inline constexpr const char* kByWorkload = "workload";

}  // namespace det::op
