import { defineTool, requireKnownOptions } from "@haft/plugin-sdk";
import { PATH_ALIASES } from "../defaults.ts";
import { createLazyTool, lazyModule } from "../scheduling/lazy-tool.ts";
import { readToolSchema, type ReadToolDetails, type ReadToolOptions } from "./read-schema.ts";

const DESCRIPTION =
  "Read a text file, or look at an image. Paths are relative to the workspace root. Long files come in pages: " +
  "the end of a page says which arguments give the next.";

const work = lazyModule(async () => (await import("./run-read.ts")).readWork);

/** The `read` tool: one page of a file, whatever the file's size. */
export function createReadTool(options: ReadToolOptions = {}) {
  requireKnownOptions<ReadToolOptions>("createReadTool", options, { workspace: true, imageLimits: true });
  return defineTool<typeof readToolSchema, ReadToolDetails>({
    name: "read",
    label: "Read",
    description: DESCRIPTION,
    parameters: readToolSchema,
    effects: ["read"],
    aliases: { path: PATH_ALIASES },
    otherNames: { sandboxed_read: { target: "sandbox" } },
    groups: ["fs"],
    ...createLazyTool(work, options),
  });
}
