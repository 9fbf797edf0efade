import type { HaftError, HaftErrorOptions } from "@haft/core";
import type { EffectReceipt } from "@haft/core/internal";
import { withoutUndefined } from "@haft/utils";
import { createFailure, type FailureReason } from "../errors.ts";
import { quote } from "./parse-path.ts";

export interface Request {
  verb: string;
  path: string;
}

export const REASONS = {
  OUTSIDE_WORKSPACE: "it leads outside the workspace directory",
  PATH_DENIED: "a deny pattern of this workspace covers it",
  READ_ONLY: "it is in a read-only location",
  CONSENT_NEEDED: "changing it needs consent",
  "root-pinned": "it is a root of the workspace, contains one, or has a name that a pattern depends on",
  HARD_LINKED: "the file has several names (hard links), so it may also be a file outside the workspace",
  FILE_NOT_FOUND: "the file does not exist",
  FILE_EXISTS: "the target exists",
  FILE_CHANGED: "it no longer has the expected version",
  PATH_CHANGED: "its folder was moved or replaced during the operation",
  NOT_A_FILE: "it is not a regular file (a pipe, socket or device)",
  IS_DIRECTORY: "it is a folder",
  NOT_A_DIRECTORY: "it is a file, but a folder is needed",
  "not-empty": "the folder is not empty",
  "link-loop": "its links form a loop",
  INVALID_PATH: "the name is invalid on this file system",
  "cross-device": "a folder cannot be moved to another file system in one step",
  FILE_TOO_LARGE: "it is too large for this operation",
  ACCESS_DENIED: "the system does not permit it",
  DISK_FULL: "the disk or quota is full",
  "file-busy": "the system is using it, as a mount point or a running program",
  "too-many-open-files": "too many files are open",
  FILE_SYSTEM_FAILED: "the file system reported an error",
  ABORTED: "the call was cancelled",
  SESSION_LEASE_LOST: "the lease of the session has ended",
} as const satisfies Partial<Record<FailureReason, string>>;

export type FailureCode = keyof typeof REASONS;

const VIOLATION = { error: "workspace_violation" };

const BY_ERRNO: Readonly<Record<string, FailureCode>> = {
  EACCES: "ACCESS_DENIED",
  EPERM: "ACCESS_DENIED",
  EROFS: "READ_ONLY",
  ENOENT: "FILE_NOT_FOUND",
  EEXIST: "FILE_EXISTS",
  ENOTEMPTY: "not-empty",
  ENOTDIR: "NOT_A_DIRECTORY",
  EISDIR: "IS_DIRECTORY",
  ENXIO: "NOT_A_FILE",
  ELOOP: "PATH_CHANGED", // The links were resolved before, so this link has just appeared.
  ENAMETOOLONG: "INVALID_PATH",
  EINVAL: "INVALID_PATH",
  EILSEQ: "INVALID_PATH",
  EXDEV: "cross-device",
  EFBIG: "FILE_TOO_LARGE",
  ENOSPC: "DISK_FULL",
  EDQUOT: "DISK_FULL",
  EBUSY: "file-busy",
  ETXTBSY: "file-busy",
  EMFILE: "too-many-open-files",
  ENFILE: "too-many-open-files",
};

export interface FailureDetails {
  why?: string;
  fix?: string;
  /** Default: `none`. */
  receipt?: EffectReceipt;
  cause?: unknown;
  details?: Record<string, unknown>;
}

export function failure(code: FailureCode, request: Request, more: FailureDetails = {}): HaftError {
  const { why = REASONS[code], details, receipt = "none", ...rest } = more;
  return createFailure(
    code,
    `Cannot ${request.verb} ${quote(request.path)}: ${why}.`,
    withoutUndefined<Partial<HaftErrorOptions>>({
      ...rest,
      receipt,
      details: { path: request.path, ...(code === "OUTSIDE_WORKSPACE" && VIOLATION), ...details },
    }),
  );
}

export function toFailure(thrown: unknown, request: Request): unknown {
  const errno = getErrno(thrown);
  if (errno === undefined) return thrown;
  return failure(BY_ERRNO[errno] ?? "FILE_SYSTEM_FAILED", request, { cause: thrown });
}

export function getErrno(thrown: unknown): string | undefined {
  const { code, syscall } = (thrown ?? {}) as { code?: unknown; syscall?: unknown };
  return typeof code === "string" && syscall !== undefined ? code : undefined;
}

export function checkAborted(signal: AbortSignal | undefined, request: Request): void {
  if (signal?.aborted === true) throw failure("ABORTED", request, { cause: signal.reason });
}
