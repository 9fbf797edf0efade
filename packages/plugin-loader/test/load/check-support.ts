import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { realFolder } from "../../../../test/support/real-folder.ts";
import { runCheck } from "../../src/check/run-check.ts";

/** A plugin with one tool, whose `execute` is this. */
export function plugin(execute: string, { before = "", effects = "[]" } = {}): string {
  const file = join(realFolder(), "plugin.mjs");
  writeFileSync(
    file,
    `import { definePlugin, defineTool, text, Type } from "@haft/plugin-sdk";
import * as fs from "node:fs";
${before}
const answer = { content: [text("done")], details: {} };
export default definePlugin({ id: "checked", tools: [defineTool({
  name: "one", description: "Does one thing, and says so.", effects: ${effects},
  parameters: Type.Object({ name: Type.String({ description: "Any." }) }),
  async execute(_id, { name }, signal, _onUpdate, context) { ${execute} },
})] });`,
  );
  return file;
}

export const check = (file: string, silenceMs?: number) =>
  runCheck(
    { file, loader: "node", name: "checked", seed: 1, runs: 3 },
    { signal: new AbortController().signal, ...(silenceMs !== undefined && { silenceMs }) },
  );
export const listProblems = ({ checks }: Awaited<ReturnType<typeof check>>) =>
  checks.filter(({ status }) => status !== "ok").map(({ check: name, message }) => `${name}: ${message}`);
