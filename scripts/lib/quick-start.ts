import { codeBlocks } from "./markdown.ts";

/** Returns the first program below `## Quick start`. */
export function quickStart(readme: string): string | undefined {
  const heading = readme.split("\n").indexOf("## Quick start");
  if (heading < 0) return undefined;
  return codeBlocks(readme, "ts").find(({ line }) => line > heading)?.text;
}

/** Calls the tools of `sample.ts` in a host. */
export const PLUGIN_HOST = `
import { createHost } from "haft";
import plugin from "./sample.ts";
const host = await createHost({ workspaceDir: process.cwd(), plugins: [plugin], stateDir: false });
const session = await host.openSession({ kind: "main" });
for (const name of plugin.tools.flatMap(({ names }) => names)) {
  const outcome = await session.call({ name, arguments: { path: "package.json" } });
  if (outcome.kind !== "ok") throw new Error(JSON.stringify(outcome));
  console.log(outcome.content);
}
await host.close();
`;

/** An MCP client's first request, for serving samples. */
export const INITIALIZE = `${JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "reader", version: "1" } },
})}\n`;
