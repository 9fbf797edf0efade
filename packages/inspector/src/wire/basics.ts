import type { ErrorCategory } from "@haft/core/internal";

/** Milliseconds since the epoch. */
export type Time = number;

export interface ListPage<Item> {
  items: readonly Item[];
  /** The cursor for the next page. Absent on the last one. */
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
  /** Tells who can correct the error. */
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
  /** `live`: shows sessions of its process as they happen. `kept`: polls records of other processes. `exported`: a file with its data. */
  mode: "live" | "kept" | "exported";
  /** Identifies this start of the inspector. Event ids start with it. */
  instance: string;
  /** The folder of the sessions. */
  workspace: string;
  /** The folder or server of the records, without secrets. Absent if calls are not recorded. */
  keptIn?: string;
  /** The audit log, if there is one. */
  auditLog?: string;
  /** The time of the response. */
  now: Time;
}
