import type { ToolOutcome } from "@haft/core";
import { contentToText } from "@haft/core";
import { rmSync, writeFileSync } from "node:fs";
import { site } from "./site.ts";

/** Shows its words, and the first line of what it reads. */
export const ARGS = `#!/bin/sh\nfor a; do printf '<%s>' "$a"; done\nread -r line && printf '[%s]' "$line"\ntrue\n`;
export type Site = Parameters<typeof site>;

/** A site with a program on the list that shows its words, and what it reads; run in the root of the workspace. */
export async function listedSite(
  allow: string[] = [],
  more: Site[2] = {},
  decide?: Site[1],
  whenOver?: Site[4],
) {
  const ask = decide === undefined ? "off" : "on-miss";
  const made = site({ allow: ["args", ...allow], ask }, decide, more, {}, whenOver);
  writeFileSync(made.at("bin/args"), ARGS, { mode: 0o755 });
  rmSync(made.at("run.sh"));
  const call = await made.open();
  const run = (command: string): Promise<ToolOutcome> => call("exec", { command });
  return { ...made, run, output: async (command: string) => contentToText((await run(command)).content) };
}
