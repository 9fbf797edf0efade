import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { haft } from "../../support/haft.ts";
import { haftTerminals } from "../../support/terminal.ts";

const haftOnTerminal = haftTerminals();
const call = ["tools", "call", "exec", '{"command":"touch made"}', "--session", "group"];

test.for([
  ["y\r", 0, true],
  ["\u0003", 1, false],
] as const)("answers on a terminal with %j", async ([keys, exitCode, made]) => {
  const cwd = await temporaryFolder();
  const terminal = await haftOnTerminal(call, cwd);
  expect(await terminal.until(/\[n\]o.*> /)).toContain("touch made");
  await terminal.type(keys);
  expect((await terminal.end()).exitCode).toBe(exitCode);
  expect(existsSync(join(cwd, "made"))).toBe(made);
});

test("asks about each call of other processes with --watch", async () => {
  const cwd = await temporaryFolder();
  const terminal = await haftOnTerminal(["approvals", "--watch"], cwd);
  await terminal.until(/Waiting for calls/);
  const first = haft([...call, "--approvals", "wait"], { cwd });
  expect(await terminal.until(/\[n\]o.*> /)).toContain("touch made");
  await terminal.type("y\r");
  expect((await first).code).toBe(0);
  const second = haft([...call, "--approvals", "wait"], { cwd });
  await terminal.until(/\[n\]o.*> /);
  await terminal.type("n\r");
  expect((await second).code).toBe(1);
});
