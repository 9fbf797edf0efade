import { parseArgs } from "node:util";
import { OPERATIONS, race } from "../packages/workspace/test/race/boundary-race.ts";

/**
 * Reads and writes in a folder that another process keeps swapping for a link out of the workspace, and counts
 * what got through. The rows "path checked first" are the control: the same race against check-then-use.
 *
 *   node --conditions=@haft/source bench/boundary-race.ts [--count 20000] [--operation read]
 */
const { values } = parseArgs({
  options: { count: { type: "string", default: "20000" }, operation: { type: "string", multiple: true } },
});
const count = Number(values.count);
if (!Number.isSafeInteger(count) || count < 1) throw new Error("--count takes a number of attempts");

let escapes = 0;
const report = async (operation: string, unsafe: boolean): Promise<void> => {
  const result = await race(operation, count, unsafe);
  if (!unsafe) escapes += result.escapes;
  const refused = Object.entries(result.refused).map(([code, times]) => `${code} ${times}`);
  console.log(
    `${result.operation.padEnd(26)} ${String(result.attempts).padStart(7)} attempts` +
      ` ${String(result.done).padStart(7)} done ${String(result.escapes).padStart(6)} escapes   ${refused.join(", ")}`,
  );
};

for (const operation of values.operation ?? OPERATIONS) await report(operation, false);
for (const operation of ["read", "write"]) await report(operation, true);
console.log(escapes === 0 ? "0 escapes" : `${escapes} ESCAPES`);
process.exitCode = escapes === 0 ? 0 : 1;
