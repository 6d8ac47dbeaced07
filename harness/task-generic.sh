# A generic task is a command under another name: sourced by entrypoint.sh.
. "$here/task-command.sh"
