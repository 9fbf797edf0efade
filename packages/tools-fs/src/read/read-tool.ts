import { defineTool } from "@haft/plugin-sdk";
import { lazily } from "../scheduling/lazily.ts";
import { readSchema } from "./read-schema.ts";
import type { ReadToolDetails, ReadToolOptions } from "./read-schema.ts";

const DESCRIPTION =
  "Read a text file, or look at an image (png, jpeg, gif, webp). Long files come in pages: the notice " +
  "at the end of a page says which arguments give the next one. Line ends are shown as LF, without a byte order mark.";

const work = lazily(() => import("./run-read.ts"));

/** The `read` tool: one page of a file, whatever the file's size. */
export function createReadTool(options: ReadToolOptions = {}) {
  return defineTool<typeof readSchema, ReadToolDetails>({
    name: "read",
    label: "Read",
    description: DESCRIPTION,
    parameters: readSchema,
    effects: ["read"],
    aliases: { path: ["file_path", "filePath", "file"] },
    otherNames: { sandboxed_read: { place: "sandbox" } },
    groups: ["fs"],
    async plan(params, context) {
      return (await work()).planRead(params, options.workspace ?? context.workspace);
    },
    async execute(_toolCallId, params, signal, _onUpdate, context) {
      const result = await (await work()).runRead(params, signal, context, options);
      // A tool that brings its own workspace is also called without a session.
      if (context?.toolName !== "sandboxed_read") return result;
      return { ...result, details: { ...result.details, sandbox: true } };
    },
  });
}
