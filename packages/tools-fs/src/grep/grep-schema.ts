import { type Static, Type, type Workspace } from "@haft/plugin-sdk";
import { CLOSED_OBJECT } from "../defaults.ts";

export const grepSchema = Type.Object(
  {
    pattern: Type.String({
      minLength: 1,
      description: "JavaScript syntax; matched within a line.",
    }),
    path: Type.Optional(
      Type.String({
        minLength: 1,
      }),
    ),
    glob: Type.Optional(
      Type.String({
        minLength: 1,
        description: "Only files like *.ts or src/**; !: all others.",
      }),
    ),
    literal: Type.Optional(Type.Boolean()),
    ignoreCase: Type.Optional(Type.Boolean()),
    context: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 20, description: "Lines around each match." }),
    ),
    filesOnly: Type.Optional(Type.Boolean()),
    maxPerFile: Type.Optional(
      Type.Integer({
        minimum: 1,
        "haft:unadvertised": true,
        description: "Most matching lines of one file.",
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 5000,
        description: "100 by default.",
      }),
    ),
    after: Type.Optional(Type.String({ description: "Go on after this path:line." })),
    includeIgnored: Type.Optional(Type.Boolean()),
  },
  CLOSED_OBJECT,
);

export type GrepToolInput = Static<typeof grepSchema>;

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

/** How `grep` searches. */
export interface GrepToolOptions {
  /** Where to look; the calling session's workspace by default. */
  workspace?: Workspace;
  /**
   * Absolute path of a ripgrep program, `false` for none; by default the one on the PATH that no session and no other
   * user could have put there. It only rules files out: what is shown is always read through the workspace, and is
   * the same without it.
   */
  ripgrep?: string | false;
  /** How long a regular expression may take on 1 MiB of text, in milliseconds; 5,000 by default. */
  deadlineMs?: number;
  /** How long one call may take, in milliseconds; 30,000 by default. Its answer says how far it came. */
  lookupMs?: number;
}
