#pragma once

// Notebooks, shells, commands and TensorBoards: one set of commands, told apart by these words.

#include <string>

namespace det::cli {

struct TaskKind {
  const char* name;                    // in commands, messages and answers: "notebook"
  const char* many;                    // in paths and lists of the API
  const char* shown;                   // in help: "TensorBoard"
  const char* shown_many;              // "TensorBoard instances"
  const char* article;                 // "a ", where help has one
  const char* runs_unready = nullptr;  // why one that runs may long not be ready, for people

  // "/api/v1/notebooks"
  [[nodiscard]] std::string path() const { return std::string("/api/v1/") + many; }
};

inline constexpr TaskKind kNotebook{"notebook", "notebooks", "notebook", "notebooks", "a "};
inline constexpr TaskKind kShell{"shell", "shells", "shell", "shells", "a "};
inline constexpr TaskKind kCommand{"command", "commands", "command", "commands", "a "};
inline constexpr TaskKind kTensorBoard{
    "tensorboard",
    "tensorboards",
    "TensorBoard",
    "TensorBoard instances",
    "",
    "It runs, and is ready once TensorBoard has started and there is a first file of its experiments. "
    "Trainers write such files; metrics that a program only reports are not in them. The log of the task says more."};

}  // namespace det::cli
