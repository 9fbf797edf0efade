import { formatProblem } from "../../config/format-problem.ts";
import { type CheckedPolicy, type CheckOptions, checkPolicyFile } from "../../review/check-policy.ts";
import { UsageError } from "../usage.ts";

/** What was found in one file. */
interface Checked extends CheckedPolicy {
  file: string;
}

/** A file that is wrong throughout is wrong for one reason. */
const MOST_SHOWN = 20;

/** Prints every problem of each file, and what hardly means what was meant. Resolves to the exit code. */
export async function checkFiles(
  files: readonly string[],
  options: CheckOptions & { json?: boolean },
): Promise<number> {
  if (files.length === 0) throw new UsageError("Which file? haft policy check FILE…");
  const results: Checked[] = [];
  for (const file of files) results.push({ file, ...(await checkPolicyFile(file, options)) });
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
