// Writes calls into a store until it is killed, and says of each that it is safe.
import { writeSync } from "node:fs";
import { keepCompiled } from "../../../../../test/support/compile-cache.ts";
import { openSqliteStore } from "../../../src/index.ts";
import { sampleCall, sampleExecutingCall, sampleOpening } from "../../../src/testing/ledger/samples.ts";

keepCompiled();
const { ledger } = openSqliteStore({ path: process.argv[2]! });
const run = await ledger.open(sampleOpening());
for (let seq = 1; ; seq++) {
  await run.write([sampleExecutingCall(seq)]);
  await run.write([sampleCall(seq)]);
  writeSync(1, `safe ${seq}\n`);
}
