import { definePlugin } from "@haft/plugin-sdk";
import { createReadTool } from "./read.ts";

/** The file tools as a plugin. */
export default definePlugin({
  id: "haft-fs",
  name: "Files",
  tools: [createReadTool()],
});
