#pragma once

// Every name, label and annotation the operator puts on objects, in one place. Names are deterministic: a reconciler
// that was killed finds what it had made. The label key `determined` is never used: an upstream master in the same
// cluster deletes objects that carry it and that it does not know.

#include <cstdint>
#include <string>
#include <string_view>

#include "model/ids.h"

namespace det::pods {

inline constexpr std::string_view kFieldManager = "det-operator";
inline constexpr std::string_view kDefaultControllerClass = "det-operator";

// Ours.
inline constexpr std::string_view kLabelManagedBy = "det-operator.dev/managed-by";   // the controller class
inline constexpr std::string_view kLabelTrial = "det-operator.dev/trial";            // name of the Trial object
inline constexpr std::string_view kLabelTask = "det-operator.dev/task";              // name of the Task object
inline constexpr std::string_view kLabelExperiment = "det-operator.dev/experiment";  // name of the Experiment object
inline constexpr std::string_view kLabelRun = "det-operator.dev/run";
inline constexpr std::string_view kLabelRank = "det-operator.dev/rank";
inline constexpr std::string_view kAnnotationNonce = "det-operator.dev/nonce";
// Of an Experiment whose history goes with it.
inline constexpr std::string_view kFinalizer = "det-operator.dev/history";
inline constexpr std::string_view kAnnotationClass = "det-operator.dev/controller-class";
inline constexpr std::string_view kAnnotationConfigHash = "det-operator.dev/config-hash";

// Informational, as upstream sets them: people's dashboards and policies select on these.
inline constexpr std::string_view kUpstreamExperimentId = "determined.ai/experiment_id";
inline constexpr std::string_view kUpstreamTrialId = "determined.ai/trial_id";
inline constexpr std::string_view kUpstreamTaskId = "determined.ai/task_id";
inline constexpr std::string_view kUpstreamAllocationId = "determined.ai/allocation_id";
inline constexpr std::string_view kUpstreamContainerId = "determined.ai/container_id";
inline constexpr std::string_view kUpstreamTaskType = "determined.ai/task_type";
inline constexpr std::string_view kUpstreamUser = "determined.ai/user";
inline constexpr std::string_view kUpstreamWorkspace = "determined.ai/workspace";
inline constexpr std::string_view kUpstreamResourcePool = "determined.ai/resource_pool";

// "<experiment>-<trial id>", shortened with a hash so that the pods' names (a run and a rank longer) stay within 63
// characters.
[[nodiscard]] std::string trial_object_name(std::string_view experiment_object, model::TrialId trial);
// What the pods and Secrets of a Task are named after: "<task object>-t", shortened in the same way. No Trial is called
// so, because theirs end in a number.
[[nodiscard]] std::string task_base_name(std::string_view task_object);
// `base`: the Trial's own name, or that of task_base_name().
[[nodiscard]] std::string pod_name(std::string_view base, int run, int rank);
[[nodiscard]] std::string allocation_secret_name(std::string_view base, int run);
// With the files that a task mounts.
[[nodiscard]] std::string files_secret_name(std::string_view base, int run);
// What may not stand in a label value becomes '_'; the ends are trimmed to letters and digits; at most 63 characters.
[[nodiscard]] std::string label_value(std::string_view text);

}  // namespace det::pods
