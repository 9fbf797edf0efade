// Prints what becomes of each everyday line under the list of a careful user, without containment: runs or asks, and why.
import { EVERYDAY_LINES } from "../packages/tools-exec/test/everyday/everyday-lines.ts";
import { everydaySite } from "../packages/tools-exec/test/everyday/everyday-site.ts";

const site = await everydaySite();
let asked = 0;
try {
  for (const line of EVERYDAY_LINES) {
    const { runs, why } = await site.judge(line);
    if (!runs) asked += 1;
    console.log(
      `${runs ? "runs" : "asks"}  ${JSON.stringify(line).slice(1, -1)}${runs ? "" : `\n      ${why}`}`,
    );
  }
} finally {
  await site.close();
}
console.log(`\n${asked} of ${EVERYDAY_LINES.length} lines are asked about.`);
