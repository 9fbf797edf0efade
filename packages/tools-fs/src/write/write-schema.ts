import { type Static, Type } from "@haft/plugin-sdk";
import { CLOSED_OBJECT } from "../defaults.ts";

export const writeSchema = Type.Object(
  {
    path: Type.String({ minLength: 1 }),
    content: Type.String(),
    lineEndings: Type.Optional(
      Type.Unsafe<"keep" | "lf" | "crlf">({
        type: "string",
        enum: ["keep", "lf", "crlf"],
        description: "keep by default.",
      }),
    ),
    ifMatch: Type.Optional(
      Type.String({
        // The hashes are in details, which no model sees.
        "haft:unadvertised": true,
        description: "Only if the file has this SHA-256: of details of read, write or edit.",
        pattern: "^[0-9a-fA-F]{64}$",
      }),
    ),
  },
  CLOSED_OBJECT,
);

export type WriteToolInput = Static<typeof writeSchema>;

/** What `write` answers beside its sentence. */
export interface WriteToolDetails {
  /** As it was asked for. */
  path: string;
  /** 0 when nothing had to be written. */
  bytesWritten: number;
  /** There was no file before. */
  created: boolean;
  /** The file is not what it was. */
  changed: boolean;
  /** What the file kept that the content sent does not show: CRLF line ends, a byte order mark, UTF-16. Absent when nothing. */
  kept?: readonly ("bom" | "crlf" | "utf-16le" | "utf-16be" | "windows-1252")[];
  /** SHA-256 of the file as it is now: a later `ifMatch`. */
  hash: string;
  /** Unified diff; absent for a file that did not change, is binary, or is too large to show. */
  diff?: string;
  /** First line that is not what it was, from 1. */
  firstChangedLine?: number;
  /** Takes the write back, where a journal is kept. */
  transactionId?: string;
  /** As the options or the name of the tool say it. */
  workspaceOnly?: boolean;
}
