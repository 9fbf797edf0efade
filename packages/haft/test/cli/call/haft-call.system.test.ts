import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { until } from "../../../../../test/support/until.ts";
import { haftHere, start } from "../../support/haft.ts";
import { haftTerminals } from "../../support/terminal.ts";

const haftOnTerminal = haftTerminals();

const exec = (command: string, more: object = {}) => [
  "tools",
  "call",
  "exec",
  JSON.stringify({ command, ...more }),
];

test("cancels the call at Ctrl-C and ends its processes", async () => {
  const cwd = await temporaryFolder();
  const terminal = await haftOnTerminal(exec("trap 'touch ended' EXIT; echo begun; sleep 60"), cwd);
  await terminal.until(/begun/);
  await terminal.type("\u0003");
  const { exitCode, output } = await terminal.end();
  expect(exitCode).toBe(130);
  expect(output).toContain("Ctrl-C");
  await until("the command has ended", () => existsSync(join(cwd, "ended")));
});

test("waits longer for a command than a model would", async () => {
  const cwd = await temporaryFolder();
  const run = await haftHere([...exec("echo one; sleep 10.5; echo two"), "--json"], { cwd });
  expect(run.lines()).toMatchObject([
    { kind: "ok", details: { status: "completed", aggregated: "one\ntwo" } },
  ]);
});

test("reports the outcome after SIGTERM, with a matching exit code", async () => {
  const cwd = await temporaryFolder();
  const child = start([...exec("touch there; sleep 60"), "--json"], cwd);
  const answer = text(child.stdout);
  await until("the command runs", () => existsSync(join(cwd, "there")));
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([143, null]);
  expect(JSON.parse(await answer)).toMatchObject({ toolName: "exec", kind: "cancelled" });
});
