import type { ErrorCategory } from "@haft/core/internal";

/** Milliseconds since the epoch. */
export type Time = number;

/** A part of a longer list. */
export interface ListPage<Item> {
  /** What is on it. */
  items: readonly Item[];
  /** For the next part, in the same direction; absent at the end. */
  next?: string;
}

/** What every request that was not done is answered with, under its status. */
export interface ErrorResponse {
  /** Why, and what to do. */
  error: ApiError;
}

/** An error, as it is shown. */
export interface ApiError {
  /** For programs: `INSPECT_TOKEN`, `APPROVAL_NOT_FOUND` … */
  code: string;
  /** Whose turn it is. */
  category: ErrorCategory;
  /** What happened and why. */
  message: string;
  /** What to do next, one sentence. */
  fix?: string;
  /** Facts for programs. */
  details?: Readonly<Record<string, unknown>>;
}

/** What a token lets its holder do: look, or decide as well. */
export type Role = "look" | "act";

/** Of what this inspector shows something, and for whom. */
export interface InspectorInfo {
  /** The version of Haft. */
  version: string;
  /** What the token of this request is for. */
  role: Role;
  /**
   * `live`: sessions of the same process are shown as they go. `kept`: what is kept of sessions elsewhere, looked at again and again.
   * `exported`: a file with its data inside.
   */
  mode: "live" | "kept" | "exported";
  /** Of this start of the inspector. Ids of events begin with it. */
  instance: string;
  /** The folder sessions work in. */
  workspace: string;
  /** Where calls are kept: a folder, or a server without its secrets; absent where nothing is kept. */
  keptIn?: string;
  /** The audit log that is followed, where there is one. */
  auditLog?: string;
  /** Its clock, when it answered. */
  now: Time;
}
