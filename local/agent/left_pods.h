#pragma once

// Pods that outlived their node agent (it was killed) and that no agent will take over: what `local --end-pods` ends.

#include <string>

namespace det::local {

struct LeftPods {
  int found = 0;  // containers
  int left = 0;   // of these, that still run: what waits for a disk or a device cannot be killed
};

// Kills every container below an agent's state folder that still runs, together with its children, and waits until they
// are gone, at most ten seconds. To the next agent their end is unknown: that they were killed is not taken for a
// failure of their programs. Only while no agent uses the folder. Blocking; any thread.
LeftPods end_left_pods(const std::string& state_folder);

}  // namespace det::local
