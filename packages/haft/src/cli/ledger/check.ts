import { HaftError } from "@haft/core";
import { escapeInvisible } from "@haft/core/internal";
import { UsageError } from "../usage.ts";
import type { LedgerValues } from "./ledger-options.ts";
import { nothingKept, withLedger } from "./open-ledger.ts";

/** Something that is wrong with what was kept. */
interface Problem {
  code: string;
  message: string;
  fix?: string;
}

/** `haft ledger check`: whether what is kept is whole. Resolves to the exit code. */
export async function check(rest: readonly string[], values: LedgerValues): Promise<number> {
  if (rest.length > 0) throw new UsageError("haft ledger check takes no names.");
  const problems = await findProblems(values.state);
  if (values.json) console.log(JSON.stringify({ whole: problems?.length === 0, problems: problems ?? [] }));
  else if (problems === undefined) console.log(nothingKept(values.state));
  else if (problems.length === 0) console.log("What is kept is whole.");
  else console.log(problems.map(format).join("\n\n"));
  return (problems ?? []).length === 0 ? 0 : 1;
}

/** What cannot be opened says so, as everywhere; here that is the answer. */
async function findProblems(state: string | undefined): Promise<Problem[] | undefined> {
  try {
    return await withLedger(state, async (store) => {
      await store.ledger.runs({ limit: 1 });
      return [];
    });
  } catch (thrown) {
    if (!HaftError.is(thrown)) throw thrown;
    const { code, message, fix } = thrown;
    return [{ code, message, ...(fix !== undefined && { fix }) }];
  }
}

function format({ code, message, fix }: Problem): string {
  return [`${escapeInvisible(message)} [${code}]`, ...(fix === undefined ? [] : [escapeInvisible(fix)])].join(
    "\n",
  );
}
