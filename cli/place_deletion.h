#pragma once

// How a workspace or a project is deleted and waited for. Belongs to one thread.

#include <string>

#include "base/result.h"
#include "base/task.h"
#include "cli/master_client.h"
#include "cli/program.h"

namespace det::cli {

struct PlaceDeletion {
  std::string kind;  // "workspace" or "project": also its name in answers
  std::string name;
  std::string path;      // of its routes
  std::string question;  // what is asked first; empty: nothing
  std::string contents;  // what is counted while it goes: "project"
  std::string count;     // the field that counts them: "numProjects"
};

// Asks, deletes, and says every 2 s what is left until it is gone. kFailedPrecondition when something could not go.
Task<Result<int>> delete_place(Invocation in, MasterClient client, PlaceDeletion deletion);

}  // namespace det::cli
