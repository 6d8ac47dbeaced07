#pragma once

// Makes the backend by which this cluster schedules gangs. Belongs to the io thread.

#include <memory>
#include <string>

#include "operator/gang/pod_group_backend.h"
#include "operator/services.h"

namespace det::op {

// `ns`: of the operator's objects; empty: all. `managed_by`: the label of our pods. What `services` borrows outlives
// it.
[[nodiscard]] std::unique_ptr<GangBackend> make_backend(asio::any_io_executor executor,
                                                        const OperatorServices& services, GangChoice gangs,
                                                        std::string ns, std::string managed_by, WakeOwner wake_owner);

}  // namespace det::op
