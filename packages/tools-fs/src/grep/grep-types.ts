/** What `grep` answers beside the lines. */
export interface GrepToolDetails {
  /** The file or folder that was searched. */
  path: string;
  /** As it was asked for. */
  pattern: string;
  /**
   * In order: by path, then by line. `line` counts from 1, as `read` takes it as offset; `text` is clipped to 300 characters
   * around its first match. With `filesOnly`, the first match of each file.
   */
  matches: { path: string; line: number; text: string }[];
  /** Files with matches shown. */
  files: number;
  /**
   * Files on the way to the last match shown that were not searched, or not to their end, by reason. `longLine`: the
   * part of a line beyond 1 MiB. `notUtf8`: text in an encoding that is not known. `noTime`: time was up before its end.
   */
  skipped: Record<"hardLinked" | "notUtf8" | "binary" | "unreadable" | "longLine" | "noTime", number>;
  /** Folders that were not looked into, or not at all of their entries. */
  unseen: number;
  /** There are more matches, or may be: see `stopped`. */
  truncated: boolean;
  /** Time was up before all was searched; absent when it was not. */
  stopped?: true;
  /** The argument of the next page, beside the others. */
  continuation?: { after: string };
}

export type GrepMatch = GrepToolDetails["matches"][number];

export type SkipReason = keyof GrepToolDetails["skipped"];
