import type { EffectReceipt, ErrorCategory } from "@haft/core";
import { HaftError, withoutUndefined } from "@haft/core";
import { quote } from "./parse-path.ts";

/** One operation on one path, as the caller asked for it: what every message of a failure starts with. */
export interface Request {
  /** `read`, `write`, `list` … */
  verb: string;
  /** The caller's own spelling. Messages never name another place. */
  path: string;
}

interface Failure {
  category: ErrorCategory;
  why: string;
  fix: string;
}

const FAILURES = {
  OUTSIDE_WORKSPACE: {
    category: "policy",
    why: "it leads outside the workspace directory",
    fix: "Use a path inside the workspace, or ask for the folder to be added as a root.",
  },
  PATH_DENIED: {
    category: "policy",
    why: "a deny pattern of this workspace covers it",
    fix: "Leave it alone; if it is needed, its pattern has to be taken off the workspace's deny list.",
  },
  READ_ONLY: {
    category: "policy",
    why: "it is in a read-only place",
    fix: "Write somewhere else, or ask for the root to be opened for writing.",
  },
  CONSENT_NEEDED: {
    category: "policy",
    why: "somebody has to agree to it",
    fix: "Use a tool that can ask, or ask the user.",
  },
  ROOT_PINNED: {
    category: "policy",
    why: "it is a root of the workspace, holds one, or has a name that a pattern of the workspace depends on",
    fix: "Work on what is inside it instead.",
  },
  HARD_LINKED: {
    category: "policy",
    why: "the file has several names (hard links), so it may be a file from outside under an inside name",
    fix: 'Write a copy of its own in its place, or open the workspace with `hardLinks: "allow"`, which gives up this check.',
  },
  FILE_NOT_FOUND: {
    category: "input",
    why: "there is nothing there",
    fix: "List the folder to see what is there.",
  },
  FILE_EXISTS: {
    category: "input",
    why: "something is there already",
    fix: "Choose another name, or replace it on purpose.",
  },
  FILE_CHANGED: {
    category: "operational",
    why: "it is not in the expected version any more",
    fix: "Read it again and repeat the change on what is there now.",
  },
  PATH_CHANGED: {
    category: "operational",
    why: "its folder was moved or replaced in the meantime",
    fix: "Look at the folder again and repeat the call.",
  },
  NOT_A_FILE: {
    category: "input",
    why: "it is not a regular file (a pipe, socket or device)",
    fix: "Name a regular file.",
  },
  IS_DIRECTORY: { category: "input", why: "it is a folder", fix: "List the folder, or name a file in it." },
  NOT_A_DIRECTORY: {
    category: "input",
    why: "a file stands where a folder is needed",
    fix: "Check the path; to put a folder there, remove the file first.",
  },
  NOT_EMPTY: { category: "input", why: "the folder is not empty", fix: "Remove what is in it first." },
  LINK_LOOP: {
    category: "input",
    why: "its links lead in a circle",
    fix: "Name the file itself, not the link.",
  },
  INVALID_PATH: {
    category: "input",
    why: "the file system cannot hold such a name",
    fix: "Use shorter names (at most 255 bytes each).",
  },
  CROSS_DEVICE: {
    category: "input",
    why: "a folder cannot be moved to another file system in one step",
    fix: "Move its files one by one.",
  },
  FILE_TOO_LARGE: {
    category: "input",
    why: "it is too large to be handled in one piece",
    fix: "Work on a range of it with `offset` and `length`.",
  },
  ACCESS_DENIED: {
    category: "operational",
    why: "the system does not permit it",
    fix: "Check owner and permissions of the file and its folder.",
  },
  DISK_FULL: {
    category: "operational",
    why: "the disk or quota is full",
    fix: "Free some space and repeat the call.",
  },
  FILE_BUSY: {
    category: "operational",
    why: "the system is using it, as a mount point or a running program",
    fix: "Repeat the call later, or use another name.",
  },
  TOO_MANY_OPEN_FILES: {
    category: "operational",
    why: "too many files are open",
    fix: "Wait for running calls to end, or raise the limit of open files.",
  },
  FILE_SYSTEM_FAILED: {
    category: "operational",
    why: "the file system reported an error",
    fix: "See the cause; the disk may be failing or the mount gone.",
  },
  ABORTED: {
    category: "operational",
    why: "the call was cancelled",
    fix: "Repeat the call if it is still wanted.",
  },
} as const satisfies Record<string, Failure>;

export type FailureCode = keyof typeof FAILURES;

/** What programs know this failure by, since before it had a code. */
const VIOLATION = { error: "workspace_violation" };

const BY_ERRNO: Readonly<Record<string, FailureCode>> = {
  EACCES: "ACCESS_DENIED",
  EPERM: "ACCESS_DENIED",
  EROFS: "READ_ONLY",
  ENOENT: "FILE_NOT_FOUND",
  EEXIST: "FILE_EXISTS",
  ENOTEMPTY: "NOT_EMPTY",
  ENOTDIR: "NOT_A_DIRECTORY",
  EISDIR: "IS_DIRECTORY",
  ENXIO: "NOT_A_FILE",
  ELOOP: "PATH_CHANGED", // Links are resolved before anything is opened, so this one has just appeared.
  ENAMETOOLONG: "INVALID_PATH",
  EINVAL: "INVALID_PATH",
  EILSEQ: "INVALID_PATH",
  EXDEV: "CROSS_DEVICE",
  EFBIG: "FILE_TOO_LARGE",
  ENOSPC: "DISK_FULL",
  EDQUOT: "DISK_FULL",
  EBUSY: "FILE_BUSY",
  ETXTBSY: "FILE_BUSY",
  EMFILE: "TOO_MANY_OPEN_FILES",
  ENFILE: "TOO_MANY_OPEN_FILES",
};

export interface FailureDetails {
  /** Instead of the usual reason. */
  why?: string;
  fix?: string;
  receipt?: EffectReceipt;
  cause?: unknown;
  details?: Record<string, unknown>;
}

/** A coded error about one request. Nothing was changed unless the receipt says otherwise. */
export function failure(code: FailureCode, request: Request, more: FailureDetails = {}): HaftError {
  const { category, why, fix } = FAILURES[code];
  return new HaftError(
    code,
    `Cannot ${request.verb} ${quote(request.path)}: ${more.why ?? why}.`,
    withoutUndefined({
      category,
      fix: more.fix ?? fix,
      details: { path: request.path, ...(code === "OUTSIDE_WORKSPACE" ? VIOLATION : {}), ...more.details },
      receipt: more.receipt ?? "none",
      cause: more.cause,
    }),
  );
}

/** What the system threw as a coded error, anything else as it is. */
export function toFailure(thrown: unknown, request: Request): unknown {
  const errno = errnoOf(thrown);
  if (errno === undefined) return thrown;
  return failure(BY_ERRNO[errno] ?? "FILE_SYSTEM_FAILED", request, { cause: thrown });
}

/** `ENOENT` and the like, if this is an error of the system. */
export function errnoOf(thrown: unknown): string | undefined {
  const { code, syscall } = (thrown ?? {}) as { code?: unknown; syscall?: unknown };
  return typeof code === "string" && syscall !== undefined ? code : undefined;
}

/** @throws HaftError `ABORTED` */
export function checkAborted(signal: AbortSignal | undefined, request: Request): void {
  if (signal?.aborted === true) throw failure("ABORTED", request, { cause: signal.reason });
}
