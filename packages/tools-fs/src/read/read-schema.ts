import { type Static, Type, type Workspace } from "@haft/plugin-sdk";
import { CLOSED_OBJECT } from "../defaults.ts";
import type { ReadImageDetails } from "../images/read-image.ts";

export const readToolSchema = Type.Object(
  {
    path: Type.String({ minLength: 1 }),
    offset: Type.Optional(Type.Integer({ minimum: 1, description: "First line, from 1." })),
    limit: Type.Optional(Type.Integer({ minimum: 1, description: "Most lines." })),
    cursor: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: "Character of that line to begin at, where it is longer than a page.",
      }),
    ),
    optional: Type.Optional(
      Type.Boolean({
        "haft:unadvertised": true,
        description: "Answer that the file is missing instead of failing when it is.",
      }),
    ),
  },
  CLOSED_OBJECT,
);

export type ReadToolInput = Static<typeof readToolSchema>;

/** What `read` answers beside the page, by what was there. */
export type ReadToolDetails = {
  /** Said when it was asked for by a name that is bound to a sandbox. */
  sandbox?: true;
} & (
  | {
      kind: "text";
      /** As it was asked for. */
      path: string;
      /** Lines of the whole file. */
      lines: number;
      /** True when the file has more than `lines`: counting was cut short. */
      linesAtLeast?: true;
      /** The page does not show all of the file. */
      truncated: boolean;
      /** Bytes of the whole file. */
      size: number;
      /** SHA-256 in hex, when the whole file was shown. */
      hash?: string;
      /** Changes with the file's content. */
      version: string;
      /** What the file is kept in. The text shown is the same in every one. */
      encoding: "utf-8" | "utf-8-bom" | "utf-16le" | "utf-16be" | "windows-1252";
      /** Nothing in the file says so: the encoding is the one it looks like. */
      encodingGuessed?: true;
      /** Said of a page after which there is more. */
      truncation?: {
        truncatedBy: "lines" | "bytes";
        totalLines: number;
        outputLines: number;
        totalBytes: number;
        outputBytes: number;
        /** The page ends inside a line. */
        lastLinePartial: boolean;
        /** The caller's limit, where it was given. */
        maxLines?: number;
        /** The byte budget of this call, notice included. */
        maxBytes: number;
      };
      /** The exact arguments of the next page, beside the path. */
      continuation?: { kind: "line" | "cursor"; offset: number; cursor?: number; limit?: number };
    }
  | ReadImageDetails
  /** Said of a missing file when the caller called it optional. */
  | { kind: "not_found"; path: string; optional: true }
);

export type ReadTextDetails = Extract<ReadToolDetails, { kind: "text" }>;

/** How `read` reads. */
export interface ReadToolOptions {
  /** Where to read; the calling session's workspace by default. */
  workspace?: Workspace;
  /**
   * What the model's provider takes: pixels of the longer side (default 2,000) and bytes of the base64 text (default
   * 4.5 MiB). Larger images are made smaller.
   */
  imageLimits?: { maxSide?: number; maxBase64Bytes?: number };
}
