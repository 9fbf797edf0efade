import type { StoreProblem } from "@haft/store";
import { escapeInvisible } from "@haft/utils";
import { withNextCommands } from "../location/next-command.ts";
import { refuseInSession } from "../refuse-in-session.ts";
import { UsageError, type Values } from "../usage.ts";
import type { checkLedgerOptions } from "./ledger-options.ts";
import { describeEmptyLedger, withLedger } from "./open-ledger.ts";

type Given = Values<typeof checkLedgerOptions>;

export async function check(values: Given): Promise<number> {
  if (values.repair) refuseInSession("repair the records of calls");
  const found = await withLedger(values, async (store) => {
    if (values.repair && store.repair === undefined)
      throw new UsageError("--repair is for the file of a state folder; these records are on a NATS server.");
    const problems = await store.check();
    const aside = values.repair && problems.length > 0 ? await store.repair?.() : undefined;
    return { problems, aside };
  });
  const { problems = [], aside } = found ?? {};
  const isWhole = problems.length === 0;
  if (values.json)
    console.log(JSON.stringify({ whole: isWhole, problems, ...(aside !== undefined && { aside }) }));
  else if (found === undefined) console.log(describeEmptyLedger(values));
  else if (isWhole) console.log("The records are intact.");
  else console.log([...problems.map(format), ...(values.repair ? [repaired(aside)] : [])].join("\n\n"));
  return isWhole || values.repair ? 0 : 1;
}

function format({ code, message, fix }: StoreProblem): string {
  const title = `${escapeInvisible(message)} [${code}]`;
  return fix === "" ? title : `${title}\n${escapeInvisible(withNextCommands(fix))}`;
}

function repaired(aside: string | undefined): string {
  return aside === undefined
    ? "The store continues with the existing records, and does not report missing records again."
    : `The next call starts a new file. The damaged file is ${aside}, unchanged.`;
}
