import { defineErrors, type HaftError, type HaftErrorOptions } from "@haft/core";

/** The errors of this package. docs/reference/errors.md is generated from them. */
export const workspaceError = /* @__PURE__ */ defineErrors(({ input, operational, policy }) => ({
  ABORTED: operational(
    "The call was aborted. The receipt says whether it may have changed something.",
    "Repeat the call if it is still wanted.",
  ),
  ACCESS_DENIED: operational(
    "The system does not permit the operation.",
    "Check owner and permissions of the file and its folder.",
  ),
  ADDRESS_REFUSED: policy(
    "A host leads to an address that nobody on the internet has: of this machine, a local network, the metadata of a cloud. The operator did not open it to tools. Nothing was sent.",
    "Ask the operator: `network: { allowPrivate: [...] }` in the configuration opens single hosts and addresses.",
    "none",
  ),
  CONSENT_NEEDED: policy(
    "The path is a setting of a project that starts programs, or a file that git or its hooks start, and nobody has agreed to change it.",
    "Use a tool that can ask, or ask the user.",
  ),
  DISK_FULL: operational("The disk or the quota is full.", "Free some space and repeat the call."),
  ENVIRONMENT_BLOCKED: policy(
    "These variables may not be set for a command, because they change which programs run or what those trust. The message names them.",
    "Leave them out, or put what they configure into the command itself; the operator can allow some of them.",
  ),
  FETCH_FAILED: { category: "operational", fix: "Try again where the cause may pass.", receipt: "unknown" },
  FILE_CHANGED: operational(
    "The file changed since it was read, or while it was.",
    "Read it again and repeat the change on what is there now.",
  ),
  FILE_EXISTS: input(
    "Something stands where the file should go, or in the folder that is to be removed.",
    "Choose another name, or replace it on purpose.",
  ),
  FILE_NOT_FOUND: input("Nothing has this path.", "List the folder to see what is there."),
  FILE_SYSTEM_FAILED: operational(
    "The file system reported an error without a code of its own here.",
    "See the cause; the disk may be failing or the mount gone.",
  ),
  FILE_TOO_LARGE: input(
    "The file is larger than what this operation takes.",
    "Work on a range of it with `offset` and `length`.",
  ),
  HARD_LINKED: policy(
    "The file has several names (hard links), so it may be a file from outside under an inside name.",
    'Write a copy of its own in its place, or open the workspace with `hardLinks: "allow"`, which gives up this check.',
  ),
  HOST_PROGRAM_CHANGED: {
    category: "operational",
    fix: "Nothing was started. Find out who changed it; when that was meant, an upgrade perhaps, restart the host, which looks for it anew.",
  },
  HOST_PROGRAM_MISSING: {
    category: "operational",
    fix: "Install it, in a folder of the PATH of this program.",
  },
  INVALID_PATH: input(
    "No file system can hold such a name, or its links lead in a circle.",
    "Use shorter names (at most 255 bytes each).",
  ),
  INVALID_PROCESS: input(
    "A command cannot be started like this: its working folder is none of the workspace, or its variables, signal or arguments are none. The message says why.",
    "Correct the arguments and repeat the call.",
  ),
  IS_DIRECTORY: input(
    "The path names a folder, and the operation is for files.",
    "List the folder, or name a file in it.",
  ),
  NOT_A_DIRECTORY: input(
    "A file stands where a folder is needed.",
    "Check the path; to put a folder there, remove the file first.",
  ),
  NO_NETWORK: {
    category: "policy",
    fix: "Do it without the network, or ask the operator for a session that has one.",
    receipt: "none",
  },
  NOT_A_FILE: input("It is not a regular file, but a pipe, a socket or a device.", "Name a regular file."),
  OUTSIDE_WORKSPACE: policy(
    "The path leads outside the workspace, directly or through a link.",
    "Use a path inside the workspace, or ask for the folder to be added as a root.",
  ),
  PATH_CHANGED: operational(
    "The folder of the file was moved or replaced while the operation ran.",
    "Look at the folder again and repeat the call.",
  ),
  PATH_DENIED: policy(
    "A deny pattern of this workspace covers the path.",
    "Leave it alone; if it is needed, its pattern has to be taken off the workspace's deny list.",
  ),
  PLAN_CHANGED: policy(
    "A program, script, file or folder is no longer what it was when the call was decided about. A tool that writes has written nothing.",
    "Nothing was started. Repeat the call, so that it is decided about as things are now.",
  ),
  PLATFORM_UNSUPPORTED: operational(
    "This part of Haft needs a POSIX system, and Node.",
    "Run it with Node; on Windows in WSL or a container.",
  ),
  PROCESS_NOT_FOUND: input(
    "There is no such process in this workspace or this session.",
    "List the processes to see which there are.",
  ),
  PROGRAM_NOT_FOUND: input(
    "There is no such program on the path.",
    "Check the name and whether it is installed and executable.",
  ),
  READ_ONLY: policy(
    "The path is in a read-only place, a start file of the user, code the host loads, or a folder that has to keep its name: a root, or one that a pattern depends on.",
    "Write somewhere else, or ask for the root to be opened for writing.",
  ),
  ROOT_INVALID: input(
    "A workspace cannot be opened with these roots.",
    "Name an existing folder for every root, each folder once.",
  ),
  RUNNER_LOST: operational(
    "The program that runs commands ended, cut the connection in the middle, or answered that something went wrong in itself.",
    "It may or may not have happened: look before you repeat it.",
    "unknown",
  ),
  RUNNER_UNAVAILABLE: operational(
    "The command, its terminal, or the program that runs commands could not be started.",
    "Nothing was started; repeat the call.",
  ),
  SANDBOX_LOST: operational(
    "The sandbox has ended while it was used: killed, out of memory, its daemon gone. The receipt says what is known of the call.",
    "It may or may not have happened: look before you repeat it. The next call opens a new sandbox.",
    "unknown",
  ),
  SANDBOX_NO_RUNNER: operational(
    "Nothing inside can serve: no Node and no shell that works, or what answers is not Haft's runner.",
    "Use an image with Node 20 or later, or do what the message says.",
  ),
  SESSION_LEASE_LOST: {
    category: "operational",
    fix: "Let this session go. Whoever has the run now goes on; to have it here again, resume it.",
  },
  STDIN_CLOSED: operational(
    "The command takes no input: it has ended, or its standard input is closed or was never open.",
    "It takes no more input; read its output to see how it went on.",
  ),
  STDIN_FULL: operational(
    "The process does not read its input, and enough is waiting.",
    "It is not reading; look at its output before sending more.",
  ),
  TOO_MANY_PROCESSES: operational(
    "The session already runs as many processes as it may.",
    "Wait for running processes or kill some.",
  ),
}));

export type WorkspaceErrorCode = keyof typeof workspaceError.catalogue;

/** These failures share a code. `details.reason` names the failure. */
const SHARED = {
  "command-too-long": ["INVALID_PROCESS", "Put long data into a file, or run a script instead of arguments."],
  "cross-device": ["FILE_SYSTEM_FAILED", "Move its files one by one."],
  "file-busy": ["FILE_SYSTEM_FAILED", "Repeat the call later, or use another name."],
  "host-program-refused": [
    "HOST_PROGRAM_MISSING",
    "Have it in a folder of the PATH that belongs to root or to you, that nobody else may write to, and where no session works; or open the session in a smaller folder.",
  ],
  "link-loop": ["INVALID_PATH", "Name the file itself, not the link."],
  "not-a-terminal": ["INVALID_PROCESS", "Start it with `pty` to give it a terminal."],
  "not-empty": ["FILE_EXISTS", "Remove what is in it first."],
  "process-running": ["INVALID_PROCESS", "Kill it first, or wait for its end."],
  "pty-unavailable": [
    "RUNNER_UNAVAILABLE",
    "Run it without a terminal, or install `@lydell/node-pty` or `script` where commands run.",
  ],
  "root-pinned": ["READ_ONLY", "Work on what is inside it instead."],
  "runner-failed": ["RUNNER_LOST", "Look at what runs before you repeat it; a new sandbox may be needed."],
  "spawn-failed": ["RUNNER_UNAVAILABLE", "The machine may be out of processes, memory or files; end some."],
  "too-many-open-files": [
    "FILE_SYSTEM_FAILED",
    "Wait for running calls to end, or raise the limit of open files.",
  ],
  "workdir-not-found": [
    "INVALID_PROCESS",
    "List the parent folder to see what is there, or create the folder.",
  ],
} as const satisfies Readonly<Record<string, readonly [code: WorkspaceErrorCode, fix: string]>>;

export type FailureReason = WorkspaceErrorCode | keyof typeof SHARED;

export function toErrorCode(reason: FailureReason): WorkspaceErrorCode {
  return reason in SHARED ? SHARED[reason as keyof typeof SHARED][0] : (reason as WorkspaceErrorCode);
}

export function createFailure(
  reason: FailureReason,
  message: string,
  options: Partial<HaftErrorOptions> = {},
): HaftError {
  const code = toErrorCode(reason);
  if (code === reason) return workspaceError(code, message, options);
  const details = { ...options.details, reason };
  return workspaceError(code, message, {
    fix: SHARED[reason as keyof typeof SHARED][1],
    ...options,
    details,
  });
}
