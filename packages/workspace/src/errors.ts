import { defineErrors } from "@haft/core";

/** The errors of this package: the source of docs/reference/errors.md. */
export const workspaceError = /* @__PURE__ */ defineErrors({
  ABORTED: {
    category: "operational",
    meaning: "The call was aborted before anything was changed.",
    fix: "Repeat the call if it is still wanted.",
  },
  ACCESS_DENIED: {
    category: "operational",
    meaning: "The system does not permit the operation.",
    fix: "Check owner and permissions of the file and its folder.",
  },
  COMMAND_TOO_LONG: {
    category: "input",
    meaning: "The arguments of the command are longer than the system takes.",
    fix: "Put long data into a file, or run a script instead of arguments.",
  },
  CONSENT_NEEDED: {
    category: "policy",
    meaning:
      "The path is one of the settings of a project that start programs, and nobody has agreed to change it.",
    fix: "Use a tool that can ask, or ask the user.",
  },
  CROSS_DEVICE: {
    category: "input",
    meaning: "A folder cannot be moved to another file system in one step.",
    fix: "Move its files one by one.",
  },
  DISK_FULL: {
    category: "operational",
    meaning: "The disk or the quota is full.",
    fix: "Free some space and repeat the call.",
  },
  ENVIRONMENT_BLOCKED: {
    category: "policy",
    meaning:
      "These variables may not be set for a command, because they change which programs run or what those trust. The message names them.",
    fix: "Leave them out, or put what they configure into the command itself; the operator can allow some of them.",
  },
  FILE_BUSY: {
    category: "operational",
    meaning: "The system is using the file.",
    fix: "Repeat the call later, or use another name.",
  },
  FILE_CHANGED: {
    category: "operational",
    meaning: "The file changed since it was read, or while it was.",
    fix: "Read it again and repeat the change on what is there now.",
  },
  FILE_EXISTS: {
    category: "input",
    meaning: "Something stands where the file should go.",
    fix: "Choose another name, or replace it on purpose.",
  },
  FILE_NOT_FOUND: {
    category: "input",
    meaning: "Nothing has this path.",
    fix: "List the folder to see what is there.",
  },
  FILE_SYSTEM_FAILED: {
    category: "operational",
    meaning: "The file system reported an error without a code of its own here.",
    fix: "See the cause; the disk may be failing or the mount gone.",
  },
  FILE_TOO_LARGE: {
    category: "input",
    meaning: "The file is larger than what this operation takes.",
    fix: "Work on a range of it with `offset` and `length`.",
  },
  HARD_LINKED: {
    category: "policy",
    meaning:
      "The file has several names (hard links), so it may be a file from outside under an inside name.",
    fix: 'Write a copy of its own in its place, or open the workspace with `hardLinks: "allow"`, which gives up this check.',
  },
  HOST_PROGRAM_CHANGED: {
    category: "operational",
    meaning:
      "A program that Haft starts itself, or the Node that runs it, is not the file any more that this host found: replaced, written to, or its rights or links changed.",
    fix: "Nothing was started. Find out who changed it; when that was meant, an upgrade perhaps, restart the host, which looks for it anew.",
  },
  HOST_PROGRAM_MISSING: {
    category: "operational",
    meaning:
      "A program that Haft starts itself is not on the PATH of the host, or not where the operator said.",
    fix: "Install it, in a folder of the PATH of this program.",
  },
  HOST_PROGRAM_REFUSED: {
    category: "operational",
    meaning:
      "A program that Haft starts itself is only where others could have put it: in a root of a session, in `node_modules`, or where another user may write. The message lists each place and why.",
    fix: "Have it in a folder of the PATH that belongs to root or to you, that nobody else may write to, and where no session works; or open the session in a smaller folder.",
  },
  INVALID_PATH_PATTERN: {
    category: "input",
    meaning:
      "A pattern of the boundary (`deny`, `readOnly` and the like) is none, so it would hold nothing back.",
    fix: "Use *, **, ?, [a-z] and {a,b}, and \\ in front of a character that is meant.",
  },
  INVALID_PATH: {
    category: "input",
    meaning: "No file system can hold such a name.",
    fix: "Use shorter names (at most 255 bytes each).",
  },
  INVALID_PROCESS: {
    category: "input",
    meaning:
      "A command cannot be started like this, or its variables, signal or arguments are none. The message says why.",
    fix: "Correct the arguments and repeat the call.",
  },
  IS_DIRECTORY: {
    category: "input",
    meaning: "The path names a folder, and the operation is for files.",
    fix: "List the folder, or name a file in it.",
  },
  LINK_LOOP: {
    category: "input",
    meaning: "The links of the path lead in a circle.",
    fix: "Name the file itself, not the link.",
  },
  NOT_A_DIRECTORY: {
    category: "input",
    meaning: "A file stands where a folder is needed.",
    fix: "Check the path; to put a folder there, remove the file first.",
  },
  NOT_A_FILE: {
    category: "input",
    meaning: "It is not a regular file, but a pipe, a socket or a device.",
    fix: "Name a regular file.",
  },
  NOT_A_TERMINAL: {
    category: "input",
    meaning: "The process has no terminal.",
    fix: "Start it with `pty` to give it a terminal.",
  },
  NOT_EMPTY: { category: "input", meaning: "The folder is not empty.", fix: "Remove what is in it first." },
  OUTSIDE_WORKSPACE: {
    category: "policy",
    meaning: "The path leads outside the workspace, directly or through a link.",
    fix: "Use a path inside the workspace, or ask for the folder to be added as a root.",
  },
  PATH_CHANGED: {
    category: "operational",
    meaning: "The folder of the file was moved or replaced while the operation ran.",
    fix: "Look at the folder again and repeat the call.",
  },
  PATH_DENIED: {
    category: "policy",
    meaning: "A deny pattern of this workspace covers the path.",
    fix: "Leave it alone; if it is needed, its pattern has to be taken off the workspace's deny list.",
  },
  PLAN_CHANGED: {
    category: "policy",
    meaning: "A program, script or folder is no longer what it was when the call was decided about.",
    fix: "Nothing was started. Repeat the call, so that it is decided about as things are now.",
  },
  PLATFORM_UNSUPPORTED: {
    category: "operational",
    meaning: "This part of Haft needs a POSIX system.",
    fix: "Run it in WSL or a container.",
  },
  PROCESS_NOT_FOUND: {
    category: "input",
    meaning: "There is no such process in this workspace.",
    fix: "List the processes to see which there are.",
  },
  PROCESS_RUNNING: {
    category: "input",
    meaning: "The process is still running.",
    fix: "Kill it first, or wait for its end.",
  },
  PROGRAM_NOT_FOUND: {
    category: "input",
    meaning: "There is no such program on the path.",
    fix: "Check the name and whether it is installed and executable.",
  },
  PTY_UNAVAILABLE: {
    category: "operational",
    meaning: "No terminal can be made here.",
    fix: "Run it without a terminal, or install `@lydell/node-pty` or `script` where commands run.",
  },
  READ_ONLY: {
    category: "policy",
    meaning: "The path is in a read-only place, a start file of the user, or code the host loads.",
    fix: "Write somewhere else, or ask for the root to be opened for writing.",
  },
  ROOT_INVALID: {
    category: "input",
    meaning: "A workspace cannot be opened with these roots.",
    fix: "Name an existing folder for every root, each folder once.",
  },
  ROOT_PINNED: {
    category: "policy",
    meaning:
      "The folder is a root of the workspace, holds one, or has a name that a deny pattern depends on.",
    fix: "Work on what is inside it instead.",
  },
  RUNNER_FAILED: {
    category: "operational",
    meaning: "The runner answered that something went wrong in itself.",
    fix: "Look at what runs before you repeat it; a new sandbox may be needed.",
    receipt: "unknown",
  },
  RUNNER_LOST: {
    category: "operational",
    meaning: "The program that runs commands ended or cut the connection in the middle.",
    fix: "It may or may not have happened: look before you repeat it.",
    receipt: "unknown",
  },
  RUNNER_UNAVAILABLE: {
    category: "operational",
    meaning: "The program that runs commands could not be started.",
    fix: "Nothing was started; repeat the call.",
  },
  SANDBOX_LOST: {
    category: "operational",
    meaning:
      "The sandbox has ended while it was used: killed, out of memory, its daemon gone. The receipt says what is known of the call.",
    fix: "It may or may not have happened: look before you repeat it. The next call opens a new sandbox.",
    receipt: "unknown",
  },
  SANDBOX_NO_RUNNER: {
    category: "operational",
    meaning:
      "Nothing inside can serve: no Node and no shell that works, or what answers is not Haft's runner.",
    fix: "Use an image with Node 20 or later, or do what the message says.",
  },
  SPAWN_FAILED: {
    category: "operational",
    meaning: "The system could not start the process.",
    fix: "The machine may be out of processes, memory or files; end some.",
  },
  STATE_FOLDER_FAILED: {
    category: "operational",
    meaning: "A file or folder of the approvals cannot be read or written.",
    fix: "See to rights and space, or name another folder with `--state` or `HAFT_STATE_DIR`.",
  },
  STATE_FOLDER_UNSAFE: {
    category: "policy",
    meaning:
      "A folder of the state is not one that this user has to themselves, so what it holds could be somebody else's decision.",
    fix: "Move it away, or name another folder with --state or HAFT_STATE_DIR.",
  },
  STDIN_CLOSED: {
    category: "operational",
    meaning: "The command takes no input: it has ended, or its standard input is closed or was never open.",
    fix: "It takes no more input; read its output to see how it went on.",
  },
  STDIN_FULL: {
    category: "operational",
    meaning: "The process does not read its input, and enough is waiting.",
    fix: "It is not reading; look at its output before sending more.",
  },
  TOO_MANY_OPEN_FILES: {
    category: "operational",
    meaning: "Too many files are open.",
    fix: "Wait for running calls to end, or raise the limit of open files.",
  },
  TOO_MANY_PROCESSES: {
    category: "operational",
    meaning: "The session already runs as many processes as it may.",
    fix: "Wait for running processes or kill some.",
  },
  WORKDIR_INVALID: {
    category: "input",
    meaning: "The working folder is not a path of the workspace.",
    fix: "Name a folder relative to the workspace, without `~`.",
  },
  WORKDIR_NOT_FOUND: {
    category: "input",
    meaning: "The working folder is not there.",
    fix: "List the parent folder to see what is there, or create the folder.",
  },
});

export type WorkspaceErrorCode = keyof typeof workspaceError.catalogue;
