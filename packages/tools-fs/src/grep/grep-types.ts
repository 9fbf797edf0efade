/**
 * Describes the `details` of `grep`.
 *
 * @example
 * ```ts
 * import type { GrepToolDetails } from "@haft/tools-fs";
 * const links = ({ matches }: GrepToolDetails) => matches.map(({ path, line }) => `${path}:${line}`);
 * ```
 */
export interface GrepToolDetails {
  /** Contains the searched file or folder. */
  path: string;
  /** Contains the pattern as the call has it. */
  pattern: string;
  /**
   * Lists matches, sorted by path and line. `line` counts from 1, as the `offset` of `read`; `text` is cut to 300 characters around its
   * match. With `filesOnly`, only the first match of each file.
   */
  matches: { path: string; line: number; text: string }[];
  /** Counts files with listed matches. */
  files: number;
  /**
   * Counts files before the last listed match that were not, or not completely, searched, by reason. `longLine`: the part of a line beyond
   * beyond 1 MiB. `notUtf8`: an unknown encoding. `noTime`: the time ended before the end of the file.
   */
  skipped: Record<"hardLinked" | "notUtf8" | "binary" | "unreadable" | "longLine" | "noTime", number>;
  /** Counts folders that were not, or not completely, listed. */
  unseen: number;
  /** Indicates that there are, or may be, more matches: see `stopped`. */
  truncated: boolean;
  /** Present if the time limit ended the search. */
  stopped?: true;
  /** Contains the additional argument for the next page. */
  continuation?: { after: string };
}

export type GrepMatch = GrepToolDetails["matches"][number];

export type SkipReason = keyof GrepToolDetails["skipped"];
