import { bindTools, type BoundTarget, type BoundTool, type BoundTools } from "@haft/core/kernel";
import { type ModelFacts, requireKnownOptions, withoutUndefined } from "@haft/plugin-sdk";
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

/** Where file tools act, and how. */
export interface FileToolsOptions
  extends HostWorkspaceOptions, Pick<ChangeToolOptions, "journal" | "durable" | "maxFileBytes"> {
  /** What is known of the model that reads the results, if one does: how much one result holds depends on it. */
  model?: Partial<ModelFacts>;
}

/** The file tools of one folder, each to be called by itself. */
export interface FileTools extends BoundTools<{
  read: ReturnType<typeof createReadTool>;
  write: ReturnType<typeof createWriteTool>;
  edit: ReturnType<typeof createEditTool>;
  apply_patch: ReturnType<typeof createApplyPatchTool>;
  ls: ReturnType<typeof createLsTool>;
  find: ReturnType<typeof createFindTool>;
  grep: ReturnType<typeof createGrepTool>;
}> {
  /** All of them, for frameworks that take a list. */
  readonly all: readonly BoundTool[];
  /** Aborts what runs and waits for it. Later calls are answered `SESSION_CLOSED`. Nothing stays open without it. */
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
 * The file tools, bound to a folder of this machine and ready to be called. Nothing is opened before the first call.
 *
 * Only the boundary of the folder holds: no policy, no approvals. What would need somebody's consent, such as a change of
 * `.vscode/tasks.json`, is refused (`CONSENT_NEEDED`), unless `projectSettings: []` gives it up.
 *
 * A folder that cannot be opened is the outcome of the calls: `ROOT_INVALID`. A relative `root` is meant from the working
 * folder of now.
 *
 * @throws HaftError `INVALID_OPTIONS`
 */
export function createFileTools(given: FileToolsOptions): FileTools {
  requireKnownOptions<FileToolsOptions>("createFileTools", given, OPTIONS);
  const { journal, durable, maxFileBytes, model, ...folder } = given;
  const options = withoutUndefined<ChangeToolOptions>({ journal, durable, maxFileBytes });
  const place = withoutUndefined<BoundTarget>({ workspace: hostFolder("createFileTools", folder), model });
  const made = {
    read: createReadTool(),
    write: createWriteTool(options),
    edit: createEditTool(options),
    apply_patch: createApplyPatchTool(options),
    ls: createLsTool(),
    find: createFindTool(),
    grep: createGrepTool(),
  };
  const { tools, close } = bindTools(made, place);
  return { ...tools, all: Object.values(tools), close };
}
