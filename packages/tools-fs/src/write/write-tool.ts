import { defineTool, Type } from "@haft/plugin-sdk";
import type { Static, Tool } from "@haft/plugin-sdk";
import type { KeptForm } from "../changes/text/adopt-form.ts";
import type { ChangeToolOptions } from "../changes/tool-options.ts";
import { PATH_ALIASES } from "../changes/tool-options.ts";
import { changing } from "../changing.ts";
import { needsConsent } from "../planned-paths.ts";

const schema = Type.Object(
  {
    path: Type.String({ minLength: 1, description: "File to write, relative to the workspace root." }),
    content: Type.String({ description: "The whole new content; may be empty." }),
    lineEndings: Type.Optional(
      Type.Union([Type.Literal("keep"), Type.Literal("lf"), Type.Literal("crlf")], {
        description: "Line ends to write; keep (default) stays with those of an existing file.",
      }),
    ),
    ifMatch: Type.Optional(
      Type.String({
        description:
          "Write only if the file still has this hash, as details of read, write or edit report it.",
        pattern: "^[0-9a-fA-F]{64}$",
      }),
    ),
  },
  { additionalProperties: false },
);

export type WriteToolInput = Static<typeof schema>;

export interface WriteToolDetails {
  path: string;
  /** 0 when nothing had to be written. */
  bytesWritten: number;
  created: boolean;
  changed: boolean;
  /** What the file kept that the content sent does not show: CRLF line ends, a byte order mark. Absent when nothing. */
  kept?: readonly KeptForm[];
  /** SHA-256 of the file as it is now: a later `ifMatch`. */
  hash: string;
  /** Unified diff; absent for a file that did not change, is binary, or is too large to show. */
  diff?: string;
  firstChangedLine?: number;
  /** Takes the write back, where a journal is kept. */
  transactionId?: string;
  workspaceOnly?: boolean;
}

export interface WriteToolOptions extends ChangeToolOptions {}

const DESCRIPTION =
  "Create a file or replace its whole content. Missing folders are made. Atomic: the file has the old content " +
  "or the new one, never a part. To change a part of a file, use edit.";

/** The `write` tool: one file, whole content, atomically. */
export function createWriteTool(options: WriteToolOptions = {}): Tool<typeof schema, WriteToolDetails> {
  return defineTool({
    name: "write",
    label: "Write",
    description: DESCRIPTION,
    parameters: schema,
    effects: ["write"],
    aliases: { path: PATH_ALIASES },
    otherNames: { host_workspace_write: { place: "host" }, sandboxed_write: { place: "sandbox" } },
    groups: ["fs"],
    wantsPlan({ path }, context) {
      return needsConsent(options.workspace ?? context.workspace, [{ path }]);
    },
    async plan(params, context, signal) {
      return (await changing()).planWriteCall(params, signal, context, options);
    },
    async execute(_toolCallId, params, signal, _onUpdate, context) {
      return (await changing()).runWrite(params, signal, context, options);
    },
  });
}
