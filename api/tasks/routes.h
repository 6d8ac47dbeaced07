#pragma once

// The routes of tasks. Handlers are plain functions that belong to the io thread.

#include <span>

#include "api/route_policy.h"

namespace det::api {

[[nodiscard]] std::span<const RouteEntry> task_routes();

}  // namespace det::api

namespace det::api::routes {

// tasks.cc
Task<Result<http::Response>> list_tasks(ApiServices& services, Call call);
Task<Result<http::Response>> legacy_tasks(ApiServices& services, Call call);
Task<Result<http::Response>> count_tasks(ApiServices& services, Call call);
Task<Result<http::Response>> get_task(ApiServices& services, Call call);
Task<Result<http::Response>> context_directory(ApiServices& services, Call call);
// generic.cc
Task<Result<http::Response>> create_generic_task(ApiServices& services, Call call);
Task<Result<http::Response>> generic_task_config(ApiServices& services, Call call);
Task<Result<http::Response>> kill_generic_task(ApiServices& services, Call call);
Task<Result<http::Response>> pause_generic_task(ApiServices& services, Call call);
Task<Result<http::Response>> unpause_generic_task(ApiServices& services, Call call);
// standalone.cc
Task<Result<http::Response>> launch_notebook(ApiServices& services, Call call);
Task<Result<http::Response>> list_notebooks(ApiServices& services, Call call);
Task<Result<http::Response>> get_notebook(ApiServices& services, Call call);
Task<Result<http::Response>> kill_notebook(ApiServices& services, Call call);
Task<Result<http::Response>> set_notebook_priority(ApiServices& services, Call call);
Task<Result<http::Response>> launch_shell(ApiServices& services, Call call);
Task<Result<http::Response>> list_shells(ApiServices& services, Call call);
Task<Result<http::Response>> get_shell(ApiServices& services, Call call);
Task<Result<http::Response>> kill_shell(ApiServices& services, Call call);
Task<Result<http::Response>> set_shell_priority(ApiServices& services, Call call);
Task<Result<http::Response>> launch_command(ApiServices& services, Call call);
Task<Result<http::Response>> list_commands(ApiServices& services, Call call);
Task<Result<http::Response>> get_command(ApiServices& services, Call call);
Task<Result<http::Response>> kill_command(ApiServices& services, Call call);
Task<Result<http::Response>> set_command_priority(ApiServices& services, Call call);
Task<Result<http::Response>> launch_tensorboard(ApiServices& services, Call call);
Task<Result<http::Response>> list_tensorboards(ApiServices& services, Call call);
Task<Result<http::Response>> get_tensorboard(ApiServices& services, Call call);
Task<Result<http::Response>> kill_tensorboard(ApiServices& services, Call call);
Task<Result<http::Response>> set_tensorboard_priority(ApiServices& services, Call call);
Task<Result<http::Response>> report_idle(ApiServices& services, Call call);

}  // namespace det::api::routes
