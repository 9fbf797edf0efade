import { closeSync, copyFileSync, existsSync, openSync, rmSync, writeSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Line } from "../../support/haft.ts";
import {
  openHostIn,
  createFaultWorkspace,
  readEffects,
  createNoteCall,
  type FaultWorkspace,
  readRecords,
  SESSION,
} from "./faulty-host.ts";
import { canMount, haftOnDisk } from "./small-disk.ts";

const READ = { name: "read", arguments: { path: "noted" } };
/** What fits into what the file has left. */
const MAX_ATTEMPTS = 50;

/** To its last byte. */
function fill(path: string): void {
  const file = openSync(path, "w");
  try {
    for (;;) writeSync(file, Buffer.alloc(4096));
  } catch {
    // It is full.
  } finally {
    closeSync(file);
  }
}

test.runIf(canMount)("blocks changes on a full disk, and continues once there is space", async () => {
  const workspace = await createFaultWorkspace();
  const run = haftOnDisk(workspace, "small", ["run", "--json"]);
  expect(await run.call(createNoteCall("before"))).toMatchObject({ kind: "ok" });
  fill(join(run.folder, "other"));
  const ran: string[] = [];
  let answer: Line;
  for (let count = 0; count < MAX_ATTEMPTS; count++) {
    answer = await run.call(createNoteCall(`then-${count}`));
    if (answer.kind !== "ok") break;
    ran.push(answer.toolCallId);
  }
  expect(answer).toMatchObject({ kind: "error", code: "LEDGER_UNAVAILABLE", receipt: "none" });
  expect(answer.content[0].text).toMatch(/database or disk is full.*Free space on that disk/s);
  expect(await run.call(READ)).toMatchObject({ kind: "ok" });
  expect(readEffects(workspace)).toEqual(["before", ...ran]);
  rmSync(join(run.folder, "other"));
  expect(await run.call(createNoteCall("after"))).toMatchObject({ kind: "ok" });
  const snapshot = { ...workspace, db: copied(run.folder, workspace) };
  expect((await run.end()).code).toBe(0);
  const ok = (await readRecords(snapshot)).filter(
    ({ outcome, toolName }) => outcome === "ok" && toolName === "exec",
  );
  expect(ok.map(({ toolCallId }) => toolCallId)).toEqual(readEffects(workspace));
});

test.runIf(canMount)("runs with record-later on a full disk, and records once there is space", async () => {
  const workspace = await createFaultWorkspace();
  await mkdir(join(workspace.cwd, "conf"));
  await writeFile(join(workspace.cwd, "conf/haft.config.yaml"), "onStoreFault: record-later\n");
  const run = haftOnDisk(workspace, "small", ["run", "--json", "--config", "conf/haft.config.yaml"]);
  await run.call(createNoteCall("before"));
  fill(join(run.folder, "other"));
  let answer: Line;
  let count = 0;
  do answer = await run.call(createNoteCall(`then-${count}`));
  while (answer.kind === "ok" && !isUnrecorded(answer) && ++count < MAX_ATTEMPTS);
  expect(answer).toMatchObject({ kind: "ok", receipt: "committed" });
  expect(isUnrecorded(answer)).toBe(true);
  rmSync(join(run.folder, "other"));
  await run.call(createNoteCall("after"));
  const snapshot = { ...workspace, db: copied(run.folder, workspace) };
  expect((await run.end()).code).toBe(0);
  const calls = (await readRecords(snapshot)).filter(({ status }) => status !== "gap");
  expect(calls.map(({ toolCallId }) => toolCallId)).toEqual(readEffects(workspace));
});

test.runIf(canMount)("blocks changes on a read-only disk, and keeps the records", async () => {
  const workspace = await createFaultWorkspace();
  const { host } = await openHostIn(workspace);
  await (await host.openSession(SESSION)).call(createNoteCall("before"));
  await host.close();
  const run = haftOnDisk(workspace, "read-only", ["run", "--json"]);
  const refused = await run.call(createNoteCall("meanwhile"));
  expect(refused).toMatchObject({ kind: "error", code: "LEDGER_UNAVAILABLE", receipt: "none" });
  expect(refused.content[0].text).toContain("Make it writable");
  expect(await run.call(READ)).toMatchObject({ kind: "ok" });
  await run.end();
  const { code, errors } = await haftOnDisk(workspace, "read-only", ["run", "--resume"]).end();
  expect({ code, errors }).toMatchObject({
    code: 1,
    errors: expect.stringContaining("[STORE_UNUSABLE]"),
  });
  expect(readEffects(workspace)).toEqual(["before"]);
  expect((await readRecords(workspace)).map(({ toolCallId }) => toolCallId)).toEqual(["before"]);
});

function isUnrecorded({ content }: Line): boolean {
  return JSON.stringify(content).includes("could not be written to the ledger");
}

/** What is on the disk, as whoever comes after a kill would find it. */
function copied(folder: string, { cwd }: FaultWorkspace): string {
  const copy = join(cwd, "copy.db");
  for (const part of ["", "-wal", "-mark"]) {
    const from = join(folder, `haft.db${part}`);
    if (existsSync(from)) copyFileSync(from, `${copy}${part}`);
  }
  return copy;
}
