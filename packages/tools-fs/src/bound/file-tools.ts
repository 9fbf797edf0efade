import { bindTools, type BoundTarget, type BoundTool, type BoundTools } from "@haft/core/kernel";
import { type ModelFacts, requireKnownOptions } from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/utils";
import type { HostWorkspaceOptions } from "@haft/workspace";
import { createApplyPatchTool } from "../apply-patch/apply-patch.ts";
import type { ChangeToolOptions } from "../changes/tool-options.ts";
import { createEditTool } from "../edit/edit.ts";
import { createFindTool } from "../find/find.ts";
import { createGrepTool } from "../grep/grep.ts";
import { createLsTool } from "../ls/ls.ts";
import { createReadTool } from "../read/read.ts";
import { createWriteTool } from "../write/write.ts";
import { hostFolder } from "./host-folder.ts";

/**
 * Contains the options of {@link createFileTools}: the folder and the options of its tools.
 *
 * @example
 * ```ts
 * import { createDirectoryJournal, type FileToolsOptions } from "@haft/tools-fs";
 * const options: FileToolsOptions = {
 *   root: "/srv/project",
 *   deny: ["*.pem"],
 *   journal: createDirectoryJournal("/var/lib/agent/journal"),
 *   model: { contextTokens: 32_000 },
 * };
 * ```
 */
export interface FileToolsOptions
  extends HostWorkspaceOptions, Pick<ChangeToolOptions, "journal" | "durable" | "maxFileBytes"> {
  /** Describes the model, if a model reads the results. This determines the size of a result. */
  model?: Partial<ModelFacts>;
}

/**
 * File tools of one folder for direct calls.
 *
 * @example
 * ```ts
 * import { formatToolResult } from "@haft/core";
 * import { createFileTools, type FileTools } from "@haft/tools-fs";
 * const tools: FileTools = createFileTools({ root: "/srv/project" });
 * const outcome = await tools.grep.call({ pattern: "TODO", glob: "*.ts" });
 * console.log(formatToolResult(outcome, "plain"));
 * ```
 */
export interface FileTools extends BoundTools<{
  read: ReturnType<typeof createReadTool>;
  write: ReturnType<typeof createWriteTool>;
  edit: ReturnType<typeof createEditTool>;
  apply_patch: ReturnType<typeof createApplyPatchTool>;
  ls: ReturnType<typeof createLsTool>;
  find: ReturnType<typeof createFindTool>;
  grep: ReturnType<typeof createGrepTool>;
}> {
  /** Lists all tools, for frameworks that take a list. */
  readonly all: readonly BoundTool[];
  /** Aborts running calls and waits for them. Later calls have the outcome `SESSION_CLOSED`. Without `close`, no resource stays open. */
  close(): Promise<void>;
}

const OPTIONS = {
  root: true,
  rootAccess: true,
  roots: true,
  workspaceOnly: true,
  deny: true,
  credentials: true,
  readOnly: true,
  startFiles: true,
  projectSettings: true,
  code: true,
  closed: true,
  hardLinks: true,
  maxReadBytes: true,
  homeDir: true,
  journal: true,
  durable: true,
  maxFileBytes: true,
  model: true,
} as const;

/**
 * Creates the file tools for a folder of this machine, for direct calls. The first call opens the folder.
 *
 * Only the boundary of the folder applies, without policy and approval. A change that requires consent, such as one of
 * `.vscode/tasks.json`, is refused (`CONSENT_NEEDED`), unless `projectSettings` is `[]`.
 *
 * If the folder cannot be opened, calls have the outcome `ROOT_INVALID`. A relative `root` refers to the current folder.
 *
 * @throws `INVALID_OPTIONS`
 *
 * @example
 * ```ts run
 * import { createFileTools } from "@haft/tools-fs";
 * const { write, edit } = createFileTools({ root: process.cwd() });
 * await write.call({ path: "greeting.txt", content: "Hello, world\n" });
 * const outcome = await edit.call({ path: "greeting.txt", oldText: "world", newText: "Ada" });
 * outcome.kind; // => "ok"
 * ```
 */
export function createFileTools(given: FileToolsOptions): FileTools {
  requireKnownOptions<FileToolsOptions>("createFileTools", given, OPTIONS);
  const { journal, durable, maxFileBytes, model, ...folder } = given;
  const options = withoutUndefined<ChangeToolOptions>({ journal, durable, maxFileBytes });
  const target = withoutUndefined<BoundTarget>({ workspace: hostFolder("createFileTools", folder), model });
  const made = {
    read: createReadTool(),
    write: createWriteTool(options),
    edit: createEditTool(options),
    apply_patch: createApplyPatchTool(options),
    ls: createLsTool(),
    find: createFindTool(),
    grep: createGrepTool(),
  };
  const { tools, close } = bindTools(made, target);
  return { ...tools, all: Object.values(tools), close };
}
