import { createApplyPatchTool } from "../../src/apply-patch/apply-patch.ts";
import { createEditTool } from "../../src/edit/edit.ts";
import { createFindTool } from "../../src/find/find.ts";
import { createGrepTool } from "../../src/grep/grep.ts";
import { createLsTool } from "../../src/ls/ls.ts";
import { createReadTool } from "../../src/read/read.ts";
import { createWriteTool } from "../../src/write/write.ts";
import { wrap } from "./patch-bench.ts";

export const read = createReadTool();
export const write = createWriteTool();
export const edit = createEditTool();
export const patch = createApplyPatchTool();
export const ls = createLsTool();
export const find = createFindTool();
export const grep = createGrepTool();

/** Parameters of {@link patch}. */
export const toPatchInput = (...sections: string[]) => ({ input: wrap(...sections) });
