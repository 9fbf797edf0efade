import { createApplyPatchTool } from "../../src/apply-patch/apply-patch-tool.ts";
import { createEditTool } from "../../src/edit/edit-tool.ts";
import { createFindTool } from "../../src/find/find-tool.ts";
import { createGrepTool } from "../../src/grep/grep-tool.ts";
import { createLsTool } from "../../src/ls/ls-tool.ts";
import { createReadTool } from "../../src/read/read-tool.ts";
import { createWriteTool } from "../../src/write/write-tool.ts";
import { wrap } from "./patch-bench.ts";

export const read = createReadTool();
export const write = createWriteTool();
export const edit = createEditTool();
export const patch = createApplyPatchTool();
export const ls = createLsTool();
export const find = createFindTool();
export const grep = createGrepTool({ ripgrep: false });

/** Parameters of {@link patch}. */
export const toPatchInput = (...sections: string[]) => ({ input: wrap(...sections) });
