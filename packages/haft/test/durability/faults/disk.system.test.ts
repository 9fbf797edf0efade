import { closeSync, copyFileSync, existsSync, openSync, rmSync, writeSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Line } from "../../support/haft.ts";
import { aHostIn, aPlace, done, noting, type Place, recorded, SESSION } from "./faulty-host.ts";
import { canMount, haftOnDisk } from "./small-disk.ts";

const READ = { name: "read", arguments: { path: "noted" } };
/** What fits into what the file has left. */
const MOST = 50;

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

test.runIf(canMount)(
  "on a full disk nothing that changes things is run, and it goes on once there is space",
  async () => {
    const place = await aPlace();
    const run = haftOnDisk(place, "small", ["run", "--json"]);
    expect(await run.call(noting("before"))).toMatchObject({ kind: "ok" });
    fill(join(run.folder, "other"));
    const ran: string[] = [];
    let answer: Line;
    for (let count = 0; count < MOST; count++) {
      answer = await run.call(noting(`then-${count}`));
      if (answer.kind !== "ok") break;
      ran.push(answer.toolCallId);
    }
    expect(answer).toMatchObject({ kind: "error", code: "LEDGER_UNAVAILABLE", receipt: "none" });
    expect(answer.content[0].text).toMatch(/database or disk is full.*Make space on that disk/s);
    expect(await run.call(READ)).toMatchObject({ kind: "ok" });
    expect(done(place)).toEqual(["before", ...ran]);
    rmSync(join(run.folder, "other"));
    expect(await run.call(noting("after"))).toMatchObject({ kind: "ok" });
    const kept = { ...place, db: copied(run.folder, place) };
    expect((await run.end()).code).toBe(0);
    const ok = (await recorded(kept)).filter(
      ({ outcome, toolName }) => outcome === "ok" && toolName === "exec",
    );
    expect(ok.map(({ toolCallId }) => toolCallId)).toEqual(done(place));
  },
);

test.runIf(canMount)(
  "on a full disk with record-later it runs, and is recorded once there is space",
  async () => {
    const place = await aPlace();
    await mkdir(join(place.cwd, "conf"));
    await writeFile(join(place.cwd, "conf/haft.config.yaml"), "onStoreFault: record-later\n");
    const run = haftOnDisk(place, "small", ["run", "--json", "--config", "conf/haft.config.yaml"]);
    await run.call(noting("before"));
    fill(join(run.folder, "other"));
    let answer: Line;
    let count = 0;
    do answer = await run.call(noting(`then-${count}`));
    while (answer.kind === "ok" && !isUnrecorded(answer) && ++count < MOST);
    expect(answer).toMatchObject({ kind: "ok", receipt: "committed" });
    expect(isUnrecorded(answer)).toBe(true);
    rmSync(join(run.folder, "other"));
    await run.call(noting("after"));
    const kept = { ...place, db: copied(run.folder, place) };
    expect((await run.end()).code).toBe(0);
    const calls = (await recorded(kept)).filter(({ status }) => status !== "gap");
    expect(calls.map(({ toolCallId }) => toolCallId)).toEqual(done(place));
  },
);

test.runIf(canMount)(
  "on a disk that is read-only nothing that changes things is run, and what was kept stays",
  async () => {
    const place = await aPlace();
    const { host } = await aHostIn(place);
    await (await host.openSession(SESSION)).call(noting("before"));
    await host.close();
    const run = haftOnDisk(place, "read-only", ["run", "--json"]);
    const refused = await run.call(noting("meanwhile"));
    expect(refused).toMatchObject({ kind: "error", code: "LEDGER_UNAVAILABLE", receipt: "none" });
    expect(refused.content[0].text).toContain("Make it writable");
    expect(await run.call(READ)).toMatchObject({ kind: "ok" });
    await run.end();
    const { code, errors } = await haftOnDisk(place, "read-only", ["run", "--resume"]).end();
    expect({ code, errors }).toMatchObject({
      code: 1,
      errors: expect.stringContaining("[LEDGER_UNAVAILABLE]"),
    });
    expect(done(place)).toEqual(["before"]);
    expect((await recorded(place)).map(({ toolCallId }) => toolCallId)).toEqual(["before"]);
  },
);

function isUnrecorded({ content }: Line): boolean {
  return JSON.stringify(content).includes("could not be written to the ledger");
}

/** What is on the disk, as whoever comes after a kill would find it. */
function copied(folder: string, { cwd }: Place): string {
  const copy = join(cwd, "copy.db");
  for (const part of ["", "-wal", "-mark"]) {
    const from = join(folder, `haft.db${part}`);
    if (existsSync(from)) copyFileSync(from, `${copy}${part}`);
  }
  return copy;
}
