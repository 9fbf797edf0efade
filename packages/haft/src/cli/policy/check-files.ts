import { formatProblem } from "../../config/config-invalid.ts";
import { type CheckedPolicy, type CheckOptions, checkPolicyFile } from "../../review/check-policy.ts";

interface Checked extends CheckedPolicy {
  file: string;
}

const MOST_SHOWN = 20;

/** Prints every problem of each file, and what hardly means what was meant. @param administrator one more, which no policy loosens */
export async function checkFiles(
  files: readonly string[],
  administrator: string | undefined,
  options: Omit<CheckOptions, "administrator"> & { json?: boolean },
): Promise<number> {
  const results: Checked[] = [];
  for (const file of files) results.push({ file, ...(await checkPolicyFile(file, options)) });
  if (administrator !== undefined) {
    const checked = await checkPolicyFile(administrator, { ...options, administrator: true });
    results.push({ file: administrator, ...checked });
  }
  const failed = results.some(({ problems }) => problems.length > 0);
  if (options.json) console.log(JSON.stringify({ ok: !failed, files: results }));
  else for (const result of results) print(result);
  return failed ? 1 : 0;
}

function print({ file, problems, warnings }: Checked): void {
  for (const list of [problems, warnings]) {
    for (const problem of list.slice(0, MOST_SHOWN)) console.error(formatProblem(file, problem));
    if (list.length > MOST_SHOWN)
      console.error(
        `${file}: ${list.length - MOST_SHOWN} more ${list === problems ? "problems" : "warnings"}.`,
      );
  }
  if (problems.length > 0) return;
  const { length } = warnings;
  console.log(`${file}: no problems${length === 0 ? "" : `, ${length} warning${length === 1 ? "" : "s"}`}.`);
}
