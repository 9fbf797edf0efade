import { type Static, Type } from "@haft/plugin-sdk";
import { CLOSED_OBJECT } from "../defaults.ts";

export const findSchema = Type.Object(
  {
    pattern: Type.String({
      minLength: 1,
      description: "*.ts (at any depth), src/**/*.{ts,tsx} (below path), !*.md (all others).",
    }),
    path: Type.Optional(Type.String({ minLength: 1 })),
    type: Type.Optional(
      Type.Unsafe<"file" | "directory" | "any">({
        type: "string",
        enum: ["file", "directory", "any"],
        description: "file by default.",
      }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 5000, description: "200 by default." })),
    after: Type.Optional(Type.String({ description: "Go on after this path." })),
    includeIgnored: Type.Optional(Type.Boolean()),
  },
  CLOSED_OBJECT,
);

export type FindToolInput = Static<typeof findSchema>;

/** What `find` answers beside the paths. */
export interface FindToolDetails {
  /** The folder that was searched. */
  path: string;
  /** As it was asked for. */
  pattern: string;
  /** As `read` takes them, name by name in order. */
  paths: string[];
  /** Folders that were not looked into, or not at all of their entries. */
  unseen: number;
  /** There are more paths, or may be: see `stopped`. */
  truncated: boolean;
  /** Time was up before all was looked at; absent when it was not. */
  stopped?: true;
  /** The argument of the next page, beside the others. */
  continuation?: { after: string };
}
