#pragma once

// Every handler, by the file that holds it. api/route_table.cc says which path each one answers. All are plain
// functions that belong to the io thread.

#include "api/call.h"

namespace det::api::routes {

// auth.cc
Task<Result<http::Response>> login(Services& services, Call call);
Task<Result<http::Response>> logout(Services& services, Call call);

// users.cc
Task<Result<http::Response>> me(Services& services, Call call);
Task<Result<http::Response>> list_users(Services& services, Call call);
Task<Result<http::Response>> get_user(Services& services, Call call);
Task<Result<http::Response>> get_user_by_name(Services& services, Call call);
Task<Result<http::Response>> create_user(Services& services, Call call);
Task<Result<http::Response>> patch_user(Services& services, Call call);

// master.cc
Task<Result<http::Response>> front_page(Services& services, Call call);
Task<Result<http::Response>> info(Services& services, Call call);
Task<Result<http::Response>> master(Services& services, Call call);

// metrics.cc
Task<Result<http::Response>> metrics(Services& services, Call call);
Task<Result<http::Response>> state_metrics(Services& services, Call call);

// health.cc
Task<Result<http::Response>> health(Services& services, Call call);
Task<Result<http::Response>> ready(Services& services, Call call);

// wheels.cc
Task<Result<http::Response>> list_wheels(Services& services, Call call);
Task<Result<http::Response>> get_wheel(Services& services, Call call);

// experiments.cc
Task<Result<http::Response>> create_experiment(Services& services, Call call);
Task<Result<http::Response>> continue_experiment(Services& services, Call call);
Task<Result<http::Response>> list_experiments(Services& services, Call call);
Task<Result<http::Response>> get_experiment(Services& services, Call call);
Task<Result<http::Response>> patch_experiment(Services& services, Call call);
Task<Result<http::Response>> get_model_def(Services& services, Call call);
Task<Result<http::Response>> best_validation_metric(Services& services, Call call);

// experiment_verbs.cc
Task<Result<http::Response>> pause(Services& services, Call call);
Task<Result<http::Response>> activate(Services& services, Call call);
Task<Result<http::Response>> cancel(Services& services, Call call);
Task<Result<http::Response>> kill(Services& services, Call call);
Task<Result<http::Response>> archive(Services& services, Call call);
Task<Result<http::Response>> unarchive(Services& services, Call call);

// experiment_delete.cc
Task<Result<http::Response>> delete_experiment(Services& services, Call call);

// templates.cc
Task<Result<http::Response>> list_templates(Services& services, Call call);
Task<Result<http::Response>> get_template(Services& services, Call call);
Task<Result<http::Response>> create_template(Services& services, Call call);
Task<Result<http::Response>> patch_template(Services& services, Call call);
Task<Result<http::Response>> delete_template(Services& services, Call call);

Task<Result<http::Response>> get_global_policy(Services& services, Call call);
Task<Result<http::Response>> put_global_policy(Services& services, Call call);
Task<Result<http::Response>> delete_global_policy(Services& services, Call call);
Task<Result<http::Response>> get_workspace_policy(Services& services, Call call);
Task<Result<http::Response>> put_workspace_policy(Services& services, Call call);
Task<Result<http::Response>> delete_workspace_policy(Services& services, Call call);

// workspaces.cc
Task<Result<http::Response>> list_workspaces(Services& services, Call call);
Task<Result<http::Response>> get_workspace(Services& services, Call call);

// preview.cc
Task<Result<http::Response>> preview_search(Services& services, Call call);

// trials.cc
Task<Result<http::Response>> list_trials(Services& services, Call call);
Task<Result<http::Response>> get_trial(Services& services, Call call);
Task<Result<http::Response>> trial_workloads(Services& services, Call call);
Task<Result<http::Response>> kill_trial(Services& services, Call call);

// reports.cc: what a running trial tells
Task<Result<http::Response>> start_run(Services& services, Call call);
Task<Result<http::Response>> report_metrics(Services& services, Call call);
Task<Result<http::Response>> report_progress(Services& services, Call call);
Task<Result<http::Response>> report_runner_state(Services& services, Call call);
Task<Result<http::Response>> report_early_exit(Services& services, Call call);
Task<Result<http::Response>> custom_webhook(Services& services, Call call);

// search_replay.cc
Task<Result<http::Response>> replay_search(Services& services, Call call);

// custom_search.cc: for the runner of a custom search
Task<Result<http::Response>> searcher_events(Services& services, Call call);
Task<Result<http::Response>> post_searcher_operations(Services& services, Call call);

// operations.cc: the searcher's work for harnesses of before 0.38
Task<Result<http::Response>> searcher_operation(Services& services, Call call);
Task<Result<http::Response>> complete_operation(Services& services, Call call);

// allocations.cc
Task<Result<http::Response>> rendezvous(Services& services, Call call);
Task<Result<http::Response>> preemption(Services& services, Call call);
Task<Result<http::Response>> ack_preemption(Services& services, Call call);
Task<Result<http::Response>> pending_preemption(Services& services, Call call);
Task<Result<http::Response>> find_code_commit(Services& services, Call call);
Task<Result<http::Response>> pin_code_commit(Services& services, Call call);
Task<Result<http::Response>> report_accelerator(Services& services, Call call);
Task<Result<http::Response>> report_proxy_address(Services& services, Call call);
Task<Result<http::Response>> report_daemon(Services& services, Call call);
Task<Result<http::Response>> report_ready(Services& services, Call call);
Task<Result<http::Response>> report_waiting(Services& services, Call call);
Task<Result<http::Response>> all_gather(Services& services, Call call);

// jobs.cc: the queue
Task<Result<http::Response>> list_jobs(Services& services, Call call);
Task<Result<http::Response>> list_jobs_v2(Services& services, Call call);
Task<Result<http::Response>> job_stats(Services& services, Call call);
Task<Result<http::Response>> update_jobs(Services& services, Call call);
Task<Result<http::Response>> explain_job(Services& services, Call call);

// agents.cc
Task<Result<http::Response>> list_agents(Services& services, Call call);
Task<Result<http::Response>> get_agent(Services& services, Call call);
Task<Result<http::Response>> enable_agent(Services& services, Call call);
Task<Result<http::Response>> disable_agent(Services& services, Call call);
Task<Result<http::Response>> list_resource_pools(Services& services, Call call);

// tasks.cc
Task<Result<http::Response>> list_tasks(Services& services, Call call);
Task<Result<http::Response>> count_tasks(Services& services, Call call);
Task<Result<http::Response>> get_task(Services& services, Call call);
Task<Result<http::Response>> context_directory(Services& services, Call call);

// logs.cc
Task<Result<http::Response>> post_logs(Services& services, Call call);
Task<Result<http::Response>> trial_logs(Services& services, Call call);
Task<Result<http::Response>> task_logs(Services& services, Call call);
Task<Result<http::Response>> trial_log_fields(Services& services, Call call);
Task<Result<http::Response>> task_log_fields(Services& services, Call call);

// checkpoints.cc
Task<Result<http::Response>> report_checkpoint(Services& services, Call call);
Task<Result<http::Response>> patch_checkpoints(Services& services, Call call);
Task<Result<http::Response>> delete_checkpoints(Services& services, Call call);
Task<Result<http::Response>> get_checkpoint(Services& services, Call call);
Task<Result<http::Response>> experiment_checkpoints(Services& services, Call call);
Task<Result<http::Response>> trial_checkpoints(Services& services, Call call);

}  // namespace det::api::routes
