import { defineTool, requireKnownOptions } from "@haft/plugin-sdk";
import { createLazyTool, lazyModule } from "../scheduling/lazy-tool.ts";
import { grepSchema, type GrepToolDetails, type GrepToolOptions } from "./grep-schema.ts";

const work = lazyModule(async () => (await import("./run-grep.ts")).grepWork);

/** The `grep` tool: lines that match a pattern. */
export function createGrepTool(options: GrepToolOptions = {}) {
  requireKnownOptions<GrepToolOptions>("createGrepTool", options, {
    workspace: true,
    ripgrep: true,
    deadlineMs: true,
    lookupMs: true,
  });
  return defineTool<typeof grepSchema, GrepToolDetails>({
    name: "grep",
    label: "Grep",
    description:
      "Search files for a regular expression, or literal text. Answers line:text by file; lines of context have a - instead. Binary files and " +
      "what ignore files hide are left out.",
    parameters: grepSchema,
    effects: ["read"],
    aliases: {
      pattern: ["regex", "query", "search"],
      path: ["directory", "dir", "folder", "file"],
      glob: ["include"],
      ignoreCase: ["caseInsensitive", "case_insensitive"],
    },
    groups: ["fs"],
    ...createLazyTool(work, options),
  });
}
