#pragma once

// The program in the pod of a checkpoint GC, as far as the control plane sees it: takes the files away that its own
// files name, and tells what is left. Belongs to the thread of the simulation.

#include <map>
#include <string>

#include "tests/simulation/training.h"

namespace det::simulation {

class Removing {
 public:
  // `environment`: of the pod, with its Secrets; the files of a Secret that is mounted are there as "file:<name>".
  // `fails_first`: the first one in this world fails when it has removed one checkpoint, and says nothing of it.
  Removing(test::FakeClock& clock, Draw& draw, Replica& replica, Record& record,
           std::map<std::string, std::string> environment, bool fails_first);

  // The exit code.
  Task<int> run();

 private:
  test::FakeClock& clock_;
  Draw& draw_;
  Replica& replica_;
  Record& record_;
  std::map<std::string, std::string> environment_;
  bool fails_first_;
};

}  // namespace det::simulation
