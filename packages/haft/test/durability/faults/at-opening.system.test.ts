import { contentToText } from "@haft/core";
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { haftHere } from "../../support/haft.ts";
import {
  openHostIn,
  createFaultWorkspace,
  getErrorCode,
  readEffects,
  createNoteCall,
  type FaultWorkspace,
  readRecords,
  SESSION,
} from "./faulty-host.ts";

const PAGE = 4096;

/** A file with some calls, closed in order. */
async function filled(): Promise<FaultWorkspace> {
  const workspace = await createFaultWorkspace();
  const { host } = await openHostIn(workspace);
  const session = await host.openSession(SESSION);
  for (let count = 0; count < 10; count++)
    await session.call({ name: "write", arguments: { path: "file", content: `${count} `.repeat(1000) } });
  await host.close();
  return workspace;
}

function overwrite(path: string, from: number): void {
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill("damage!", from));
}

/** What is wrong with the file before a host opens it, and what it says of that. */
const FAULTS: readonly (readonly [string, (workspace: FaultWorkspace) => void, code: string])[] = [
  ["overwritten from its first page on", ({ db }) => overwrite(db, 0), "STORE_CORRUPT"],
  ["overwritten behind its first page", ({ db }) => overwrite(db, PAGE), "STORE_CORRUPT"],
  ["cut in its middle", ({ db }) => truncateSync(db, 3 * PAGE), "STORE_CORRUPT"],
  [
    "of a newer version",
    ({ db }) => {
      const file = new DatabaseSync(db);
      file.exec("PRAGMA user_version = 1000");
      file.close();
    },
    "STORE_TOO_NEW",
  ],
  [
    "a link",
    ({ db, cwd }) => {
      rmSync(db);
      writeFileSync(`${cwd}/elsewhere`, "");
      symlinkSync(`${cwd}/elsewhere`, db);
    },
    "STORE_UNUSABLE",
  ],
  [
    "a folder",
    ({ db }) => {
      rmSync(db);
      mkdirSync(db);
    },
    "STORE_UNUSABLE",
  ],
];

test.for(FAULTS)("runs no changes and keeps the file: %s", async ([, spoil, code]) => {
  const workspace = await filled();
  spoil(workspace);
  const before = content(workspace);
  const { host } = await openHostIn(workspace);
  const session = await host.openSession(SESSION);
  const refused = await session.call(createNoteCall("now"));
  expect(refused).toMatchObject({ kind: "error", code: "LEDGER_UNAVAILABLE", receipt: "none" });
  expect(contentToText(refused.content)).toContain(workspace.db);
  expect((await session.call({ name: "read", arguments: { path: "file" } })).kind).toBe("ok");
  expect(await getErrorCode(host.openSession({ ...SESSION, resume: true }))).toBe("LEDGER_UNAVAILABLE");
  await host.close();
  expect(readEffects(workspace)).toEqual([]);
  expect(content(workspace)).toEqual(before);
  const checked = await haftHere(["ledger", "check", "--json"], { cwd: workspace.cwd });
  expect(checked.code).toBe(1);
  expect(checked.lines()[0]).toMatchObject({ whole: false, problems: [expect.objectContaining({ code })] });
});

test.for(FAULTS)("runs with record-later and reports missing records at the end: %s", async ([, spoil]) => {
  const workspace = await filled();
  spoil(workspace);
  const { host, said } = await openHostIn(workspace, { onStoreFault: "record-later" });
  const session = await host.openSession(SESSION);
  expect((await session.call(createNoteCall("now"))).kind).toBe("ok");
  await host.close();
  expect(readEffects(workspace)).toEqual(["now"]);
  expect(said.join("\n")).toMatch(/The end of 1 call is not recorded: .*"missing":1/);
});

test("continues with an emptied file, and reports missing records until a repair", async () => {
  const workspace = await filled();
  truncateSync(workspace.db);
  const { host, said } = await openHostIn(workspace);
  const session = await host.openSession(SESSION);
  expect((await session.call(createNoteCall("now"))).kind).toBe("ok");
  await host.close();
  expect(said.join("\n")).toContain("All data is lost");
  const check = (...more: string[]) => haftHere(["ledger", "check", ...more], { cwd: workspace.cwd });
  expect(await check()).toMatchObject({ code: 1, stdout: expect.stringContaining("[STORE_INCOMPLETE]") });
  expect((await check("--repair")).code).toBe(0);
  expect((await check()).code).toBe(0);
  expect(await readRecords(workspace)).toMatchObject([{ toolCallId: "now", outcome: "ok" }]);
});

test("moves a damaged file aside on request, and starts a new file", async () => {
  const workspace = await filled();
  overwrite(workspace.db, PAGE);
  const before = content(workspace);
  const repaired = await haftHere(["ledger", "check", "--repair", "--json"], { cwd: workspace.cwd });
  const [{ aside }] = repaired.lines();
  expect(readFileSync(aside).toString("latin1")).toEqual(before);
  const { host } = await openHostIn(workspace);
  const session = await host.openSession(SESSION);
  expect((await session.call(createNoteCall("now"))).kind).toBe("ok");
  await host.close();
  expect((await haftHere(["ledger", "check"], { cwd: workspace.cwd })).code).toBe(0);
});

// To the administrator nothing is unwritable.
test.skipIf(process.getuid?.() === 0)(
  "refuses a folder that cannot be written, with the reason",
  async () => {
    const workspace = await filled();
    chmodSync(workspace.db, 0o400);
    chmodSync(workspace.stateDir, 0o500);
    const { host } = await openHostIn(workspace);
    const session = await host.openSession(SESSION);
    expect(await session.call(createNoteCall("now"))).toMatchObject({
      code: "LEDGER_UNAVAILABLE",
      receipt: "none",
    });
    chmodSync(workspace.stateDir, 0o700);
    expect(readEffects(workspace)).toEqual([]);
  },
);

function content({ db }: FaultWorkspace): string | undefined {
  try {
    return readFileSync(db, "latin1");
  } catch {
    return undefined;
  }
}
