import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scriptTurns } from "../scripted-model/script.ts";
import { startScriptedModel } from "../scripted-model/scripted-model.ts";
import { Terminals } from "../terminals.ts";
import { PROMPT } from "./guard-script.ts";
import { guardStage, LIMIT_MS } from "./guard-stage.ts";
import type { GuardedClient } from "./guarded-client.ts";

/** A person's answer on the terminal. */
export type Answer = "yes" | "no";

const READ_MS = 500;

/**
 * Runs a command that needs approval on a terminal, and answers the client's own prompt.
 *
 * @returns problems
 */
export async function playAttended(
  client: GuardedClient,
  answer: Answer,
  { installed }: { installed: string },
): Promise<string[]> {
  const { attended } = client;
  if (attended === undefined) return ["it is not known how its prompts are answered"];
  using stage = guardStage(client, installed);
  const { project, haft } = stage;
  await using model = await startScriptedModel(
    scriptTurns([{ calls: [client.shell("echo ran > shell.txt")] }]),
  );
  const env = stage.connectModel(model.url);
  writeFileSync(stage.policy, "ask: [exec]\n");
  await haft("guard", "install", client.client.name);

  const all = new Terminals(project);
  let screen = "";
  try {
    const bin = join(installed, "node_modules/.bin", client.client.bin);
    const words = client.client.headless(PROMPT).filter((word) => word !== "-p");
    const set = Object.entries({ ...env, TERM: "xterm-256color" }).map(([name, value]) => `${name}=${value}`);
    const argv = ["/usr/bin/env", "-i", ...set, bin, ...client.free, ...words];
    const { id } = await all.start("terminal", { argv, pty: { cols: 100, rows: 40 }, stdin: "open" });
    let from = 0;
    const until = async (holds: () => boolean): Promise<boolean> => {
      const end = Date.now() + LIMIT_MS;
      while (!holds()) {
        if (Date.now() > end) return false;
        const { chunks, next, state } = await all.read(id, from, { waitMs: READ_MS });
        from = next;
        for (const { bytes } of chunks) screen += Buffer.from(bytes).toString();
        if (state !== "running" && chunks.length === 0) return holds();
      }
      return true;
    };
    if (!(await until(() => attended.asks.test(textOf(screen)))))
      return [`it never asked:\n${textOf(screen)}`];
    if (existsSync(join(project, "shell.txt"))) return ["it ran before anybody had answered"];
    const asked = screen.length;
    await all.write(id, Buffer.from(attended[answer]));
    const told = () => model.requests.at(-1)?.results[0]?.text;
    const isOver = () => told() !== undefined || (attended.over?.test(textOf(screen.slice(asked))) ?? false);
    if (!(await until(isOver))) return [`it did not go on:\n${textOf(screen.slice(asked))}`];
    const ran = existsSync(join(project, "shell.txt"));
    await all.kill(id);
    if (ran !== (answer === "yes"))
      return [`it ${ran ? "ran" : "did not run"}; the model was told ${told()}`];
    const { decisions } = stage.counts();
    return decisions === 1 ? [] : [`the guard decided ${decisions} times, and not once`];
  } finally {
    await all.close();
  }
}

/** Words that were ever on the screen, in order. */
function textOf(screen: string): string {
  // oxlint-disable no-control-regex -- of a terminal
  return screen
    .replaceAll(/\u001b\][^\u0007]*\u0007/g, "")
    .replaceAll(/\u001b\[[0-?]*[ -/]*[@-~]/g, " ")
    .slice(-8000);
  // oxlint-enable no-control-regex
}
