import { proposeTrust } from "../../config/workspace/propose-trust.ts";
import { whyEnded } from "../../trust/still-trusted.ts";
import type { TrustStore } from "../../trust/trust-store.ts";
import { asksOf, describeProposal } from "./describe-proposal.ts";

/** Prints what each file asks for, and whether it is trusted. Nothing of it is run. Resolves to the exit code. */
export async function showTrust(
  store: TrustStore,
  files: readonly string[],
  { also, json = false }: { also?: string[]; json?: boolean },
): Promise<number> {
  const shown: object[] = [];
  for (const file of files) {
    const proposal = await proposeTrust(file, also);
    const { path, covered, said } = proposal;
    const { record, problem } = store.find(path);
    const ended = record && whyEnded(record, true);
    const trust = record === undefined ? "not trusted" : ended === undefined ? "trusted" : "ended";
    shown.push({
      path,
      trust,
      ...(record && { at: record.at, by: record.by }),
      ...(ended !== undefined && { ended }),
      ...(problem !== undefined && { problem }),
      // Of code nobody knows before it runs.
      ...(said && { asks: asksOf(said) }),
      files: Object.fromEntries(covered.files),
      packages: covered.packages,
    });
    if (json) continue;
    console.log(`${describeProposal(proposal)}\n`);
    if (problem !== undefined) console.error(`haft: ${problem}`);
    const since = record && `since ${record.at.slice(0, 10)}, by ${record.by}`;
    if (trust === "trusted") console.log(`  Trusted ${since}.\n`);
    else if (trust === "ended") console.log(`  Was trusted ${since}, and is not any more: ${ended}.\n`);
    else console.log("  Not trusted.\n");
  }
  if (json) console.log(JSON.stringify({ files: shown }));
  return 0;
}
