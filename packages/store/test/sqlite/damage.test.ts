import { fc, test } from "@fast-check/vitest";
import { HaftError } from "@haft/core";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { openSqliteStore } from "../../src/index.ts";
import { sampleCall, createClosedRun, sampleOpening } from "../../src/testing/ledger/samples.ts";
import { openTestStore, temporaryDatabase } from "../support/temporary-store.ts";

test("a file with changed bytes or a cut end is used, or rejected with a reason, and nothing is removed", async () => {
  const path = temporaryDatabase();
  const store = openTestStore(path);
  await createClosedRun(
    store.ledger,
    Array.from({ length: 200 }, (_, index) => sampleCall(index + 1)),
  );
  await store.close();
  const whole = readFileSync(path);
  const change = fc.record({
    at: fc.nat(whole.length - 1),
    bytes: fc.uint8Array({ minLength: 1, maxLength: 64 }),
    end: fc.option(fc.nat(whole.length), { freq: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
      const damaged = Buffer.from(whole);
      for (const { at, bytes } of changes) damaged.set(bytes.subarray(0, damaged.length - at), at);
      const end = Math.min(...changes.map((each) => each.end ?? whole.length));
      const file = temporaryCopy(path, damaged.subarray(0, end));
      const opened = openSqliteStore({ path: file });
      try {
        const problems = await opened.check();
        const answers = await Promise.allSettled([
          opened.ledger.calls({ limit: 1000 }),
          opened.ledger.calls({ path: "/work" }),
          opened.ledger.open(sampleOpening()).then((run) => run.write([sampleCall(1)])),
        ]);
        const reasons = answers.flatMap((each) =>
          each.status === "rejected" ? [each.reason as unknown] : [],
        );
        expect(reasons.filter((reason) => !HaftError.is(reason))).toEqual([]);
        expect(problems.every(({ code, fix }) => code.startsWith("STORE_") && fix !== "")).toBe(true);
      } finally {
        await opened.close().catch(() => {});
      }
    }),
    { numRuns: scaleRuns(40, 8) },
  );
});

function temporaryCopy(beside: string, bytes: Uint8Array): string {
  const folder = `${beside}-copy`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  const file = join(folder, "haft.db");
  writeFileSync(file, bytes, { mode: 0o600 });
  return file;
}
