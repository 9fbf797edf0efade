import { withoutUndefined } from "@haft/core";
import type { ReadConfig } from "../../config/read-config.ts";
import { proposeTrust, type TrustProposal } from "../../config/workspace/propose-trust.ts";
import { rulesOf } from "../../config/workspace/workspace-rules.ts";
import { problemWith } from "../../host/configured-options.ts";
import { createHost } from "../../host/host.ts";
import { whyEnded } from "../../trust/still-trusted.ts";
import type { TrustStore } from "../../trust/trust-store.ts";
import { whoIsThere } from "../approvals/answer-words.ts";
import { askYesNo } from "../approvals/ask-yes-no.ts";
import { findTerminal } from "../approvals/find-terminal.ts";
import { UsageError } from "../usage.ts";
import { asksOf, describeProposal, table } from "./describe-proposal.ts";

interface Values {
  yes?: boolean;
  also?: string[];
  json?: boolean;
}

/** Asks about each file, and keeps what somebody agreed to. Resolves to the exit code. */
export async function giveTrust(
  store: TrustStore,
  files: readonly string[],
  values: Values,
): Promise<number> {
  const terminal = values.yes === true ? undefined : findTerminal();
  if (values.yes !== true && terminal === undefined)
    throw new UsageError(
      "haft trust asks on a terminal, and there is none. Look at haft trust show, then say --yes.",
    );
  const results: object[] = [];
  let refused = 0;
  for (const file of files) {
    const proposal = await proposeTrust(file, values.also);
    const { path } = proposal;
    const { record: known } = store.find(path);
    if (known !== undefined && whyEnded(known, true) === undefined && values.also === undefined) {
      results.push({ path, trusted: true, since: known.at });
      if (!values.json) console.log(`${path} is trusted already.`);
      continue;
    }
    if (!values.json) console.log(describeProposal(proposal));
    const agreed = terminal === undefined || (await askYesNo(terminal, "Do you trust this?"));
    results.push({ path, trusted: agreed, ...(agreed && { asks: await trust(store, proposal, values) }) });
    if (!agreed) refused++;
    if (!values.json) console.log(agreed ? `Trusted: ${path}\n` : `Not trusted: ${path}\n`);
  }
  if (values.json) console.log(JSON.stringify({ files: results }));
  return refused > 0 ? 1 : 0;
}

/** @throws HaftError when it turns out to be broken: then nothing is kept */
async function trust(store: TrustStore, proposal: TrustProposal, { json }: Values) {
  const { said, record } = await proposal.accept(whoIsThere());
  await checkWithHost(said);
  store.add(record);
  const asks = asksOf(said);
  // Of code nobody could say so before.
  if (proposal.said === undefined && !json && asks.length > 0)
    console.log(["  It asks for this, beyond tightening:", ...table(asks)].join("\n"));
  return asks;
}

/** As a host starts with it, but that nothing is kept. */
async function checkWithHost(said: ReadConfig): Promise<void> {
  const { roots, sandbox, plugins } = said.config;
  const host = await createHost(
    withoutUndefined({
      roots,
      sandbox,
      plugins,
      stateDir: false as const,
      administratorPolicy: false as const,
    }),
  );
  const problem = problemWith(rulesOf(said), host.catalogue);
  await host.close();
  if (problem !== undefined) throw problem;
}
