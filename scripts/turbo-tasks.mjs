// The tasks of turbo's newest summary, for `.ci/run`: `SECONDS NAME`, or `failed NAME`.
import { readdirSync, readFileSync, statSync } from "node:fs";

const folder = ".turbo/runs";
const [newest] = readdirSync(folder)
  .map((name) => `${folder}/${name}`)
  .toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
const { tasks } = JSON.parse(readFileSync(newest, "utf8"));
for (const { taskId, execution } of tasks) {
  // One that has no command, or that never began.
  if (!execution?.endTime || !execution.startTime) continue;
  const seconds = ((execution.endTime - execution.startTime) / 1000).toFixed(1);
  console.log(`${execution.exitCode === 0 ? seconds : "failed"} ${taskId}`);
}
