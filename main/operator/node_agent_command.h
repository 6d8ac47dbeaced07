#pragma once

// `det-operator node-agent ...` and the hidden `det-operator node-agent-shim`, which the agent starts once per
// container.

// Runs until SIGTERM or SIGINT (the node goes down: pods get TERM, their ends are reported). Returns the exit status.
int run_node_agent_command(int argc, char** argv);
