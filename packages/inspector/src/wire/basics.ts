import type { ErrorCategory } from "@haft/core/internal";

/** Milliseconds since the epoch. */
export type Time = number;

export interface ListPage<Item> {
  items: readonly Item[];
  /** The next page's cursor, if any. */
  next?: string;
}

/**
 * The body of a failed request.
 *
 * @example
 * ```ts
 * import type { ErrorResponse } from "@haft/inspector";
 * declare const response: Response;
 * if (!response.ok) {
 *   const { error } = (await response.json()) as ErrorResponse;
 *   throw new Error(`${error.code}: ${error.message}`);
 * }
 * ```
 */
export interface ErrorResponse {
  error: ApiError;
}

export interface ApiError {
  /** For programs: `INSPECT_TOKEN`, `APPROVAL_NOT_FOUND` and others. */
  code: string;
  /** Who can correct the error. */
  category: ErrorCategory;
  /** The event and its reason. */
  message: string;
  /** The next step for a person, as one sentence. */
  fix?: string;
  /** Facts for programs. */
  details?: Readonly<Record<string, unknown>>;
}

/** `look` only reads; `act` also decides. */
export type Role = "look" | "act";

export interface InspectorInfo {
  /** The version of Haft. */
  version: string;
  role: Role;
  /** `live`: shows its process's sessions. `kept`: polls other processes' records. `exported`: a file with its data. */
  mode: "live" | "kept" | "exported";
  /** Identifies this start; event ids begin with it. */
  instance: string;
  /** The folder of the sessions. */
  workspace: string;
  /** The folder or server of the records without secrets; absent without records. */
  keptIn?: string;
  /** The audit log, if any. */
  auditLog?: string;
  /** The time of the response. */
  now: Time;
}
