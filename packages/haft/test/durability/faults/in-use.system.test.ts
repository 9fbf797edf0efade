import { contentToText } from "@haft/core";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { haftHere } from "../../support/haft.ts";
import {
  openHostIn,
  createFaultWorkspace,
  readEffects,
  createNoteCall,
  type FaultWorkspace,
  readRecords,
  SESSION,
} from "./faulty-host.ts";

/** Something happens to the file while a host has it. Answers what makes it good again. */
type Fault = (workspace: FaultWorkspace) => Promise<() => Promise<void>>;

/** By another process, which has begun to write and does not go on. */
const locked: Fault = async ({ db }) => {
  const program = `
    const { DatabaseSync } = require("node:sqlite");
    new DatabaseSync(process.argv[1]).exec("BEGIN IMMEDIATE");
    console.log("locked");
    setInterval(() => {}, 1000);`;
  const other = spawn(process.execPath, ["--no-warnings", "-e", program, db], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void other.kill("SIGKILL"));
  await once(other.stdout, "data");
  return async () => {
    other.kill("SIGKILL");
    await once(other, "exit");
  };
};

const movedAway: Fault = async ({ stateDir }) => {
  renameSync(stateDir, `${stateDir}-away`);
  onTestFinished(() => rmSync(`${stateDir}-away`, { recursive: true, force: true }));
  return async () => {
    rmSync(stateDir, { recursive: true, force: true });
    renameSync(`${stateDir}-away`, stateDir);
  };
};

const FAULTS: readonly (readonly [string, Fault, RegExp])[] = [
  ["locked by another process", locked, /database is locked/],
  ["in a folder that was moved away", movedAway, /no longer exists/],
];

test.for(FAULTS)("blocks changes completely and continues reads: %s", async ([, fault, why]) => {
  const workspace = await createFaultWorkspace();
  const { host } = await openHostIn(workspace);
  const session = await host.openSession(SESSION);
  expect((await session.call(createNoteCall("before"))).kind).toBe("ok");
  const mend = await fault(workspace);
  const refused = await session.call(createNoteCall("meanwhile"));
  expect(refused).toMatchObject({ kind: "error", code: "LEDGER_UNAVAILABLE", receipt: "none" });
  expect(contentToText(refused.content)).toMatch(why);
  const read = await session.call({ id: "look", name: "read", arguments: { path: "noted" } });
  expect(read).toMatchObject({ kind: "ok" });
  await mend();
  expect((await session.call(createNoteCall("after"))).kind).toBe("ok");
  await host.close();
  expect(readEffects(workspace)).toEqual(["before", "after"]);
  expect(await readRecords(workspace)).toMatchObject([
    { toolCallId: "before", outcome: "ok" },
    { toolCallId: "meanwhile", outcome: "error", code: "LEDGER_UNAVAILABLE", receipt: "none" },
    { toolCallId: "look", outcome: "ok" },
    { toolCallId: "after", outcome: "ok" },
  ]);
});

test.for(FAULTS)("runs with record-later, and records later: %s", async ([, fault]) => {
  const workspace = await createFaultWorkspace();
  const { host, said } = await openHostIn(workspace, { onStoreFault: "record-later" });
  const session = await host.openSession(SESSION);
  expect((await session.call(createNoteCall("before"))).kind).toBe("ok");
  const mend = await fault(workspace);
  const ran = await session.call(createNoteCall("meanwhile"));
  expect(ran).toMatchObject({ kind: "ok" });
  expect(contentToText(ran.content)).toContain("could not be written to the ledger");
  expect(readEffects(workspace)).toEqual(["before", "meanwhile"]);
  await mend();
  await session.call(createNoteCall("after"));
  await host.close();
  expect((await readRecords(workspace)).map(({ toolCallId, outcome }) => [toolCallId, outcome])).toEqual([
    ["before", "ok"],
    ["meanwhile", "ok"],
    ["after", "ok"],
  ]);
  expect(said.join("\n")).toMatch(/store failed.*store works again/s);
});

test("blocks or reports calls if another process overwrites the file", async () => {
  const workspace = await createFaultWorkspace();
  const { host } = await openHostIn(workspace);
  const session = await host.openSession(SESSION);
  await session.call(createNoteCall("before"));
  const { size } = statSync(workspace.db);
  for (const path of [workspace.db, `${workspace.db}-wal`]) {
    const file = openSync(path, "r+");
    writeSync(file, Buffer.alloc(size, "damage!"), 0, size, 0);
    closeSync(file);
  }
  const answers = [];
  for (let count = 0; count < 5; count++) answers.push(await session.call(createNoteCall(`then ${count}`)));
  await host.close();
  const ran = answers.filter(({ kind }) => kind === "ok").map(({ toolCallId }) => toolCallId);
  expect(readEffects(workspace)).toEqual(["before", ...ran]);
  expect((await haftHere(["ledger", "check"], { cwd: workspace.cwd })).code).toBe(1);
  const next = await openHostIn(workspace);
  const refused = await (await next.host.openSession(SESSION)).call(createNoteCall("next"));
  expect(refused).toMatchObject({ code: "LEDGER_UNAVAILABLE", receipt: "none" });
});
