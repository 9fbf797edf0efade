import type { ErrorCategory } from "@haft/core/internal";

/** Milliseconds since the epoch. */
export type Time = number;

/** One page of a longer list. */
export interface ListPage<Item> {
  /** The items of this page. */
  items: readonly Item[];
  /** The cursor for the next page in the same direction. Absent on the last one. */
  next?: string;
}

/**
 * The body of every response to a request that failed.
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
  /** Why the request failed, and what to do. */
  error: ApiError;
}

/** An error for a page. */
export interface ApiError {
  /** The code, for programs: `INSPECT_TOKEN`, `APPROVAL_NOT_FOUND` and others. */
  code: string;
  /** The category, which says who can correct it. */
  category: ErrorCategory;
  /** What happened and why. */
  message: string;
  /** What a person can do next, as one sentence. */
  fix?: string;
  /** Further facts for programs. */
  details?: Readonly<Record<string, unknown>>;
}

/** What a token permits: `look` only reads, `act` also decides. */
export type Role = "look" | "act";

/** Facts about an inspector, and about the token of the request. */
export interface InspectorInfo {
  /** The version of Haft. */
  version: string;
  /** The role of the token. */
  role: Role;
  /**
   * `live`: it shows sessions of its own process as they happen. `kept`: it reads records of other processes again and again. `exported`:
   * it is a file with its data inside.
   */
  mode: "live" | "kept" | "exported";
  /** Identifies this start of the inspector. Ids of events start with it. */
  instance: string;
  /** The folder in which sessions work. */
  workspace: string;
  /** Where calls are recorded: a folder, or a server without its secrets. Absent where nothing is recorded. */
  keptIn?: string;
  /** The audit log that it follows, if there is one. */
  auditLog?: string;
  /** The time on its clock when it responded. */
  now: Time;
}
