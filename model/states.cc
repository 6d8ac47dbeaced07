#include "model/states.h"

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string>

#include "base/check.h"

namespace det::model {
namespace {

// Which states may follow: one bit per state.
template <typename State>
constexpr std::uint32_t followed_by(std::initializer_list<State> states) {
  std::uint32_t bits = 0;
  for (const State state : states) bits |= 1U << static_cast<unsigned>(state);
  return bits;
}

template <typename State>
struct Row {
  State state;
  std::string_view word;
  std::uint32_t next;
};

using E = ExperimentState;
constexpr std::array<Row<E>, 12> kExperiments = {{
    {E::kActive, "ACTIVE",
     followed_by(
         {E::kPaused, E::kStoppingCompleted, E::kStoppingCanceled, E::kStoppingKilled, E::kStoppingError, E::kError})},
    {E::kPaused, "PAUSED",
     followed_by(
         {E::kActive, E::kStoppingCompleted, E::kStoppingCanceled, E::kStoppingKilled, E::kStoppingError, E::kError})},
    {E::kStoppingCompleted, "STOPPING_COMPLETED", followed_by({E::kCompleted, E::kStoppingError, E::kError})},
    {E::kStoppingCanceled, "STOPPING_CANCELED",
     followed_by({E::kCanceled, E::kStoppingKilled, E::kStoppingError, E::kError})},
    {E::kStoppingKilled, "STOPPING_KILLED", followed_by({E::kCanceled, E::kStoppingError, E::kError})},
    {E::kStoppingError, "STOPPING_ERROR", followed_by({E::kError, E::kActive})},
    {E::kCompleted, "COMPLETED", followed_by({E::kDeleting})},
    {E::kCanceled, "CANCELED", followed_by({E::kDeleting})},
    {E::kError, "ERROR", followed_by({E::kDeleting})},
    {E::kDeleting, "DELETING", followed_by({E::kDeleted, E::kDeleteFailed})},
    {E::kDeleteFailed, "DELETE_FAILED", followed_by({E::kDeleting})},
    {E::kDeleted, "DELETED", 0},
}};

using T = TrialState;
constexpr std::array<Row<T>, 9> kTrials = {{
    {T::kActive, "ACTIVE",
     followed_by({T::kPaused, T::kStoppingCompleted, T::kStoppingCanceled, T::kStoppingKilled, T::kStoppingError,
                  T::kCompleted, T::kError})},
    {T::kPaused, "PAUSED",
     followed_by(
         {T::kActive, T::kStoppingCompleted, T::kStoppingCanceled, T::kStoppingKilled, T::kStoppingError, T::kError})},
    {T::kStoppingCompleted, "STOPPING_COMPLETED",
     followed_by({T::kCompleted, T::kStoppingCanceled, T::kStoppingKilled, T::kStoppingError, T::kError})},
    {T::kStoppingCanceled, "STOPPING_CANCELED",
     followed_by({T::kCanceled, T::kStoppingKilled, T::kStoppingError, T::kError})},
    {T::kStoppingKilled, "STOPPING_KILLED", followed_by({T::kCanceled, T::kStoppingError, T::kError})},
    {T::kStoppingError, "STOPPING_ERROR", followed_by({T::kError, T::kActive})},
    {T::kCompleted, "COMPLETED", followed_by({T::kActive})},
    {T::kCanceled, "CANCELED", followed_by({T::kActive})},
    {T::kError, "ERROR", followed_by({T::kActive})},
}};

using A = AllocationState;
constexpr std::uint32_t after(A state) {
  return 0xffU & ~((2U << static_cast<unsigned>(state)) - 1U);
}
constexpr std::array<Row<A>, 8> kAllocations = {{
    {A::kPending, "PENDING", after(A::kPending)},
    {A::kAssigned, "ASSIGNED", after(A::kAssigned)},
    {A::kPulling, "PULLING", after(A::kPulling)},
    {A::kStarting, "STARTING", after(A::kStarting)},
    {A::kRunning, "RUNNING", after(A::kRunning)},
    {A::kWaiting, "WAITING", after(A::kWaiting)},
    {A::kTerminating, "TERMINATING", after(A::kTerminating)},
    {A::kTerminated, "TERMINATED", after(A::kTerminated)},
}};

using K = TaskState;
constexpr std::array<Row<K>, 5> kTasks = {{
    {K::kActive, "ACTIVE", followed_by({K::kPaused, K::kCompleted, K::kCanceled, K::kError})},
    {K::kPaused, "PAUSED", followed_by({K::kActive, K::kCompleted, K::kCanceled, K::kError})},
    {K::kCompleted, "COMPLETED", 0},
    {K::kCanceled, "CANCELED", 0},
    {K::kError, "ERROR", 0},
}};

using C = CheckpointState;
constexpr std::array<Row<C>, 5> kCheckpoints = {{
    {C::kActive, "ACTIVE", followed_by({C::kCompleted, C::kError})},
    {C::kCompleted, "COMPLETED", followed_by({C::kPartiallyDeleted, C::kDeleted})},
    {C::kError, "ERROR", followed_by({C::kDeleted})},
    {C::kDeleted, "DELETED", 0},
    {C::kPartiallyDeleted, "PARTIALLY_DELETED", followed_by({C::kDeleted})},
}};

// The rows stand in the order of the enumerators, so that a state is its own index.
template <typename Table>
constexpr bool in_order(const Table& table) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (static_cast<std::size_t>(table[i].state) != i) return false;
  }
  return true;
}
static_assert(in_order(kExperiments) && in_order(kTrials) && in_order(kAllocations) && in_order(kTasks) &&
              in_order(kCheckpoints));

template <typename State, std::size_t N>
std::optional<State> parse(const std::array<Row<State>, N>& table, std::string_view word) {
  for (const Row<State>& row : table) {
    if (row.word == word) return row.state;
  }
  return std::nullopt;
}

template <typename State, std::size_t N>
bool may_follow(const std::array<Row<State>, N>& table, State from, State to) {
  return (table[static_cast<std::size_t>(from)].next >> static_cast<unsigned>(to) & 1U) != 0;
}

template <typename State>
Status refuse_transition(std::string_view what, std::int64_t id, State from, State to) {
  return fail(ErrorCode::kFailedPrecondition, "illegal transition " + std::string(to_string(from)) + " -> " +
                                                  std::string(to_string(to)) + " for " + std::string(what) + " " +
                                                  std::to_string(id));
}

template <typename State>
State after_stopping(State stopping) {
  DET_CHECK(is_stopping(stopping), "only a stopping state has an end");
  if (stopping == State::kStoppingCompleted) return State::kCompleted;
  return stopping == State::kStoppingError ? State::kError : State::kCanceled;
}

}  // namespace

std::string_view to_string(ExperimentState state) {
  return kExperiments[static_cast<std::size_t>(state)].word;
}
std::string_view to_string(TrialState state) {
  return kTrials[static_cast<std::size_t>(state)].word;
}
std::string_view to_string(AllocationState state) {
  return kAllocations[static_cast<std::size_t>(state)].word;
}
std::string_view to_string(TaskState state) {
  return kTasks[static_cast<std::size_t>(state)].word;
}
std::string_view to_string(CheckpointState state) {
  return kCheckpoints[static_cast<std::size_t>(state)].word;
}

std::optional<ExperimentState> parse_experiment_state(std::string_view word) {
  return parse(kExperiments, word);
}
std::optional<TrialState> parse_trial_state(std::string_view word) {
  return parse(kTrials, word);
}
std::optional<AllocationState> parse_allocation_state(std::string_view word) {
  return parse(kAllocations, word);
}
std::optional<TaskState> parse_task_state(std::string_view word) {
  return parse(kTasks, word);
}
std::optional<CheckpointState> parse_checkpoint_state(std::string_view word) {
  return parse(kCheckpoints, word);
}

bool may_become(ExperimentState from, ExperimentState to) {
  return may_follow(kExperiments, from, to);
}
bool may_become(TrialState from, TrialState to) {
  return may_follow(kTrials, from, to);
}
bool may_become(AllocationState from, AllocationState to) {
  return may_follow(kAllocations, from, to);
}
bool may_become(TaskState from, TaskState to) {
  return may_follow(kTasks, from, to);
}
bool may_become(CheckpointState from, CheckpointState to) {
  return may_follow(kCheckpoints, from, to);
}

Status check_transition(ExperimentId id, ExperimentState from, ExperimentState to) {
  return may_become(from, to) ? Status() : refuse_transition("experiment", id.value, from, to);
}

Status check_transition(TrialId id, TrialState from, TrialState to) {
  return may_become(from, to) ? Status() : refuse_transition("trial", id.value, from, to);
}

bool is_terminal(ExperimentState state) {
  return state >= ExperimentState::kCompleted;
}

bool is_terminal(TrialState state) {
  return state >= TrialState::kCompleted;
}

bool is_terminal(TaskState state) {
  return state >= TaskState::kCompleted;
}

bool is_stopping(ExperimentState state) {
  return state >= ExperimentState::kStoppingCompleted && state <= ExperimentState::kStoppingError;
}

bool is_stopping(TrialState state) {
  return state >= TrialState::kStoppingCompleted && state <= TrialState::kStoppingError;
}

ExperimentState state_after_stopping(ExperimentState stopping) {
  return after_stopping(stopping);
}

TrialState state_after_stopping(TrialState stopping) {
  return after_stopping(stopping);
}

}  // namespace det::model
