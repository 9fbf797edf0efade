import { importRules, importable, formatLocation } from "@haft/guard/internal/agents";
import { escapeInvisible } from "@haft/utils";
import { existsSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { UsageError } from "../usage.ts";
import { writeOut } from "../write-out.ts";

export async function importPolicy(
  [name, file]: readonly string[],
  { out, yes, json }: { out?: string; yes?: boolean; json?: boolean },
): Promise<number> {
  const agent = importable.find((each) => each === name);
  if (agent === undefined)
    throw new UsageError(`Name an agent: haft policy import AGENT; there are ${importable.join(", ")}.`);
  if (out !== undefined && !yes && existsSync(out) && statSync(out).isFile())
    throw new UsageError(
      `${out} exists already, and may contain rules: name another file and compare them, or replace it with --yes.`,
    );
  const named = file === undefined ? undefined : resolve(file);
  const { files, draft, text } = await importRules(agent, named, { home: homedir(), env: process.env });
  const { config, notTranslated } = draft;
  if (out !== undefined) writeOut(out, text);
  if (json) console.log(JSON.stringify({ agent, files, config, policy: text, notTranslated, out }));
  else {
    if (out === undefined) writeOut(undefined, text);
    for (const { text: shown, why, ...from } of notTranslated)
      console.error(
        escapeInvisible(
          `${formatLocation({ ...from, text: shown })}: ${shown.replaceAll(/\s+/g, " ").slice(0, 120)}: ${why}.`,
        ),
      );
    if (out !== undefined) console.log(`Written to ${out}. Check it: haft policy check --guard ${out}`);
  }
  return 0;
}
