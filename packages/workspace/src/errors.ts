import { defineErrors, type HaftError, type HaftErrorOptions } from "@haft/core";

/** Source of docs/reference/errors.md. */
export const workspaceError = /* @__PURE__ */ defineErrors(({ input, operational, policy }) => ({
  ABORTED: operational(
    "The call was aborted. The receipt shows whether it may have changed anything.",
    "Repeat the call if it is still needed.",
  ),
  ACCESS_DENIED: operational(
    "The system does not permit the operation.",
    "Check owner and permissions of the file and its folder.",
  ),
  ADDRESS_REFUSED: policy(
    "A host resolves to a private address: of this machine, a local network, or the metadata service of a cloud. The operator did not open it to tools. Nothing was sent.",
    "Ask the operator: `network: { allowPrivate: [...] }` in the configuration opens individual hosts and addresses.",
    "none",
  ),
  CONSENT_NEEDED: policy(
    "The path is a project setting that starts programs, or a file that git or its hooks start. Changing it needs consent.",
    "Use a tool that can request approval, or ask the user.",
  ),
  DISK_FULL: operational("The disk or the quota is full.", "Free some space and repeat the call."),
  ENVIRONMENT_BLOCKED: policy(
    "These variables may not be set for a command, because they change which programs run, or which peers programs trust. The message names them.",
    "Remove them, or set the option in the command itself. The operator can allow some of them.",
  ),
  FETCH_FAILED: {
    category: "operational",
    fix: "Read the cause, and repeat the call if it is temporary.",
    receipt: "unknown",
  },
  FILE_CHANGED: operational(
    "The file changed after or during the read.",
    "Read it again and repeat the change on the current content.",
  ),
  FILE_EXISTS: input(
    "The target exists, or the folder to be removed is not empty.",
    "Choose another name, or request a replacement.",
  ),
  FILE_NOT_FOUND: input("No file has this path.", "List the folder to see its files."),
  FILE_SYSTEM_FAILED: operational(
    "The file system reported another error.",
    "Read the cause. The disk may be failing, or the mount may be missing.",
  ),
  FILE_TOO_LARGE: input(
    "The file is too large for this operation.",
    "Work on a range of it with `offset` and `length`.",
  ),
  HARD_LINKED: policy(
    "The file has several names (hard links), so it may also be a file outside the workspace.",
    'Replace it by a copy, or open the workspace with `hardLinks: "allow"`, which gives up this check.',
  ),
  HOST_PROGRAM_CHANGED: {
    category: "operational",
    fix: "Nothing was started. Find out why it changed. After an intended change, such as an upgrade, restart the host.",
  },
  HOST_PROGRAM_MISSING: {
    category: "operational",
    fix: "Install it in a folder of this program's PATH.",
  },
  INVALID_PATH: input(
    "The name is invalid on this file system, or its links form a loop.",
    "Use shorter names (at most 255 bytes each).",
  ),
  INVALID_PROCESS: input(
    "The command is invalid: its working folder is not in the workspace, or its variables, signal or arguments are invalid. The message gives the reason.",
    "Correct the arguments and repeat the call.",
  ),
  IS_DIRECTORY: input(
    "The path names a folder, but the operation needs a file.",
    "List the folder, or name a file in it.",
  ),
  NOT_A_DIRECTORY: input(
    "The path names a file, but the operation needs a folder.",
    "Check the path. To create a folder, remove the file first.",
  ),
  NO_NETWORK: {
    category: "policy",
    fix: "Work without the network, or ask the operator for a session with network access.",
    receipt: "none",
  },
  NOT_A_FILE: input("The file is a pipe, a socket or a device.", "Name a regular file."),
  OUTSIDE_WORKSPACE: policy(
    "The path leads outside the workspace, directly or through a link.",
    "Use a path inside the workspace, or ask the operator to add the folder as a root.",
  ),
  PATH_CHANGED: operational(
    "The folder of the file was moved or replaced while the operation ran.",
    "List the folder again and repeat the call.",
  ),
  PATH_DENIED: policy(
    "A deny pattern of this workspace covers the path.",
    "Do not use it. The operator can remove own patterns from the workspace's deny list; folders of Haft are always denied.",
  ),
  PLAN_CHANGED: policy(
    "A program, script, file or folder changed after the decision about the call. A tool that writes has written nothing.",
    "Nothing was started. Repeat the call for a new decision.",
  ),
  PLATFORM_UNSUPPORTED: operational(
    "This part of Haft needs a POSIX system and Node.",
    "Run it with Node, on Windows in WSL or a container.",
  ),
  PROCESS_NOT_FOUND: input(
    "No process with this id exists in this workspace or session.",
    "List the processes to see the existing ids.",
  ),
  PROGRAM_NOT_FOUND: input(
    "The program was not found on the path.",
    "Check the name and whether it is installed and executable.",
  ),
  READ_ONLY: policy(
    "The path is in a read-only location, a start file of the user, code of the host, or a folder that must keep its name: a root, or a folder that a pattern depends on.",
    "Write to another path, or ask the operator to open the root for writing.",
  ),
  ROOT_INVALID: input(
    "A workspace cannot be opened with these roots.",
    "Name an existing folder for every root, each folder once.",
  ),
  RUNNER_LOST: operational(
    "The program that runs commands ended, closed the connection, or reported an internal error.",
    "The call may have taken effect: look before you repeat it.",
    "unknown",
  ),
  RUNNER_UNAVAILABLE: operational(
    "The command, its terminal, or the program that runs commands could not be started.",
    "Nothing was started; repeat the call.",
  ),
  SANDBOX_LOST: operational(
    "The sandbox ended during a call: it was killed, ran out of memory, or its daemon ended. The receipt shows whether the call may have taken effect.",
    "The call may have taken effect: look before you repeat it. The next call opens a new sandbox.",
    "unknown",
  ),
  SANDBOX_NO_RUNNER: operational(
    "No runner can start in the sandbox: Node and a working shell are missing, or another program answers.",
    "Use an image with Node 20 or later, or follow the message.",
  ),
  SESSION_LEASE_LOST: {
    category: "operational",
    fix: "Close this session. The current holder of the lease continues the run. Resume the run to continue it here.",
  },
  STDIN_CLOSED: operational(
    "The command accepts no input: it has ended, or its standard input is closed or was never open.",
    "Read its output to see its result.",
  ),
  STDIN_FULL: operational(
    "The process does not read its input, and the queue is full.",
    "Read its output before you send more.",
  ),
  TOO_MANY_PROCESSES: operational(
    "The session has reached its limit of running processes.",
    "Wait for running processes, or end some.",
  ),
}));

export type WorkspaceErrorCode = keyof typeof workspaceError.catalogue;

/** These failures share a code. `details.reason` names the failure. */
const SHARED = {
  "command-too-long": ["INVALID_PROCESS", "Put long data into a file, or run a script instead of arguments."],
  "cross-device": ["FILE_SYSTEM_FAILED", "Move its files one by one."],
  "file-busy": [
    "FILE_SYSTEM_FAILED",
    "If it is a mount point, leave it in its place: change its content, or use another name. Else repeat the call later.",
  ],
  "host-program-refused": [
    "HOST_PROGRAM_MISSING",
    "Move it to a folder of the PATH that belongs to root or to you, that other users cannot write, and that is in no root of a session. Or open the session in a smaller folder.",
  ],
  "link-loop": ["INVALID_PATH", "Name the file itself, not the link."],
  "not-a-terminal": ["INVALID_PROCESS", "Start it with `pty` to get a terminal."],
  "not-empty": ["FILE_EXISTS", "Remove its content first."],
  "process-running": ["INVALID_PROCESS", "Kill it first, or wait for its end."],
  "pty-unavailable": [
    "RUNNER_UNAVAILABLE",
    "Run it without a terminal, or install `@lydell/node-pty` or `script` where commands run.",
  ],
  "root-pinned": ["READ_ONLY", "Work on its content instead."],
  "runner-failed": ["RUNNER_LOST", "List the processes before you repeat it. A new sandbox may be needed."],
  "spawn-failed": [
    "RUNNER_UNAVAILABLE",
    "The machine may have no free processes, memory or files. End some processes.",
  ],
  "too-many-open-files": [
    "FILE_SYSTEM_FAILED",
    "Wait for running calls to end, or raise the limit of open files.",
  ],
  "workdir-not-found": ["INVALID_PROCESS", "List the parent folder, or create the folder."],
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
