import { defineTool, text, Type } from "@haft/plugin-sdk";
import type { Static, Tool } from "@haft/plugin-sdk";
import type { KeptForm } from "./changes/adopt-form.ts";
import type { ChangeReport, FileChange } from "./changes/change-report.ts";
import { previewOf } from "./changes/preview-change.ts";
import type { ChangeToolOptions } from "./changes/tool-options.ts";
import { engineFor, isWorkspaceOnly, PATH_ALIASES } from "./changes/tool-options.ts";
import { planPaths, requirePlanned } from "./planned-paths.ts";

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

/** Loaded with the first call. */
const work = () => import("./write/plan-write.ts");

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
    async plan(params, context, signal) {
      const workspace = options.workspace ?? context.workspace;
      const { paths, data } = await planPaths(workspace, [{ path: params.path, access: "write" }]);
      const preview = await previewOf(engineFor(options, context), {
        paths: [{ path: params.path }],
        plan: async (tree) => (await work()).planWrite(tree, params),
        refineDiff: true,
        signal,
      });
      return { subjects: { paths }, preview, data };
    },
    async execute(_toolCallId, params, signal, _onUpdate, context) {
      const { report, value: kept } = await engineFor(options, context).change({
        paths: [{ path: params.path }],
        plan: async (tree) => {
          await requirePlanned(options.workspace ?? context.workspace, context?.plan);
          return (await work()).planWrite(tree, params);
        },
        refineDiff: true,
        signal,
      });
      const { summary } = await work();
      const details = describe(report, kept, isWorkspaceOnly(options, context));
      return {
        content: [text(summary(details, report.files[0] as FileChange))],
        details,
        receipt: details.changed ? "committed" : "none",
      };
    },
  });
}

function describe(
  report: ChangeReport,
  kept: readonly KeptForm[],
  workspaceOnly: boolean | undefined,
): WriteToolDetails {
  const file = report.files[0] as FileChange;
  return {
    path: file.path,
    bytesWritten: report.changed ? file.bytesAfter : 0,
    created: file.kind === "added",
    changed: report.changed,
    ...(kept.length === 0 ? {} : { kept }),
    hash: file.after ?? "",
    ...(file.diff === undefined ? {} : { diff: file.diff }),
    ...(file.firstChangedLine === undefined ? {} : { firstChangedLine: file.firstChangedLine }),
    ...(report.transactionId === undefined ? {} : { transactionId: report.transactionId }),
    ...(workspaceOnly === undefined ? {} : { workspaceOnly }),
  };
}
