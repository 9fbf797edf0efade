import { HaftError } from "@haft/core";
import { applyPatchWith } from "../../../src/apply-patch/apply-patch.ts";
import { createChangeEngine } from "../../../src/changes/change-engine.ts";
import type { ChangeReport } from "../../../src/changes/plan/change-report.ts";
import { createMemoryFileSystem } from "../../support/memory-file-system.ts";
import type { Answer, Question } from "./ask-codex.ts";

export interface HaftAnswer extends Answer {
  /** Where hunks were found, when the patch was applied. */
  report?: ChangeReport;
  /** Why it was refused. */
  error?: HaftError;
}

/** Applies a patch to files in memory. */
export async function askHaft({ files, patch }: Question): Promise<HaftAnswer> {
  const bytes = Object.entries(files).map(([path, content]) => [path, Buffer.from(content)] as const);
  const memory = createMemoryFileSystem(Object.fromEntries(bytes));
  try {
    const { report, text } = await applyPatchWith(createChangeEngine({ fs: memory }), patch);
    const tree = [...memory.files].map(([path, file]) => [path.slice(1), file.bytes.toString()] as const);
    return { tree: Object.fromEntries(tree), said: text, report };
  } catch (error) {
    if (!HaftError.is(error)) throw error;
    return { said: error.message, error };
  }
}
