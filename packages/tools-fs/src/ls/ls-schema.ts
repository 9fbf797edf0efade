import { type DirectoryEntry, type Static, Type } from "@haft/plugin-sdk";
import { CLOSED_OBJECT } from "../defaults.ts";

export const lsSchema = Type.Object(
  {
    path: Type.Optional(Type.String({ minLength: 1 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 5000, description: "500 by default." })),
    after: Type.Optional(Type.String({ description: "Go on after this entry." })),
    includeIgnored: Type.Optional(Type.Boolean()),
  },
  CLOSED_OBJECT,
);

export type LsToolInput = Static<typeof lsSchema>;

/** What `ls` answers beside the names. */
export interface LsToolDetails {
  /** As it was asked for; `.` by default. */
  path: string;
  /** In the order shown: by name, UTF-16 code units. */
  entries: DirectoryEntry[];
  /** Entries left out because ignore files hide them. */
  ignored: number;
  /** There are more entries. */
  truncated: boolean;
  /** The argument of the next page, beside the others. */
  continuation?: { after: string };
}
