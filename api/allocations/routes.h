#pragma once

// The routes of what a running task says of its allocation and hears. Handlers are plain functions that belong to the
// io thread.

#include <span>

#include "api/route_policy.h"

namespace det::api {

[[nodiscard]] std::span<const RouteEntry> allocation_routes();

}  // namespace det::api

namespace det::api::routes {

// allocations.cc
Task<Result<http::Response>> rendezvous(ApiServices& services, Call call);
Task<Result<http::Response>> preemption(ApiServices& services, Call call);
Task<Result<http::Response>> ack_preemption(ApiServices& services, Call call);
Task<Result<http::Response>> pending_preemption(ApiServices& services, Call call);
Task<Result<http::Response>> report_accelerator(ApiServices& services, Call call);
Task<Result<http::Response>> report_proxy_address(ApiServices& services, Call call);
Task<Result<http::Response>> report_daemon(ApiServices& services, Call call);
Task<Result<http::Response>> report_ready(ApiServices& services, Call call);
Task<Result<http::Response>> report_waiting(ApiServices& services, Call call);
Task<Result<http::Response>> all_gather(ApiServices& services, Call call);

// code_commit.cc
Task<Result<http::Response>> find_code_commit(ApiServices& services, Call call);
Task<Result<http::Response>> pin_code_commit(ApiServices& services, Call call);
// allocation_views.cc
Task<Result<http::Response>> get_allocation(ApiServices& services, Call call);
Task<Result<http::Response>> task_accelerators(ApiServices& services, Call call);
Task<Result<http::Response>> refuse_container_notice(ApiServices& services, Call call);

}  // namespace det::api::routes
