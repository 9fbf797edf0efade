import { resolveRealPath } from "@haft/config/internal/boundary";
import {
  listWorkspaceConfigurations,
  type ReadConfig,
  proposeTrust,
  type TrustProposal,
  toWorkspaceRules,
  findRuleProblem,
} from "@haft/config/internal/document";
import { explainEndedTrust, TrustStore } from "@haft/config/internal/trust";
import { formatTable } from "@haft/policy";
import { withoutUndefined, escapeInvisible } from "@haft/utils";
import { statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { commandError } from "../../errors.ts";
import { askYesNo, findTerminal } from "../approvals/find-terminal.ts";
import { getAnswererName } from "../approvals/parse-answer.ts";
import { readStateValue } from "../location/state-value.ts";
import { refuseWithoutTerminal } from "../refuse-in-session.ts";
import { action, FILE, FLAG, FOLDER, UsageError } from "../usage.ts";
import { withHost } from "../with-host.ts";
import { listRequestedSettings, describeProposal, formatSettingsTable } from "./describe-proposal.ts";

const WHAT = "decide which configurations are trusted";
const also = { ...FILE, multiple: true } as const;

export const trustAction = action({
  options: { yes: FLAG, also, json: FLAG, state: FOLDER },
  decides: WHAT,
  names: "file",
  most: 1,
  async run({ yes = false, also: more, json, state }, [target = "."]) {
    const store = new TrustStore(readStateValue(state));
    refuseWithoutTerminal(WHAT, "Run it in a terminal, or when that agent has ended.", [state]);
    const files = filesAt(target);
    const terminal = yes ? undefined : findTerminal();
    if (!yes && terminal === undefined)
      throw new UsageError(
        "haft config trust needs a terminal, and there is none. Check haft config trusted FILE, then use --yes.",
      );
    const results: { path: string; trusted: boolean; since?: string }[] = [];
    for (const file of files) {
      const proposal = await proposeTrust(file, more);
      const { path } = proposal;
      const { record: known } = store.find(path);
      if (known !== undefined && explainEndedTrust(known, true) === undefined && more === undefined) {
        results.push({ path, trusted: true, since: known.at });
        if (!json) console.log(`${path} is trusted already.`);
        continue;
      }
      if (!json) console.log(describeProposal(proposal));
      const trusted = terminal === undefined || (await askYesNo(terminal, "Do you trust this?"));
      const asks = trusted ? await trust(store, proposal, json) : undefined;
      results.push({ path, trusted, ...(asks && { asks }) });
      if (!json) console.log(`${trusted ? "Trusted" : "Not trusted"}: ${path}\n`);
    }
    if (json) console.log(JSON.stringify({ files: results }));
    return results.every(({ trusted }) => trusted) ? 0 : 1;
  },
});

/** A broken configuration stores nothing. */
async function trust(store: TrustStore, proposal: TrustProposal, json: boolean | undefined) {
  const { said: accepted, record } = await proposal.accept(getAnswererName());
  await checkWithHost(accepted);
  store.add(record);
  const asks = listRequestedSettings(accepted);
  // Code must run to reveal its requests.
  if (proposal.config === undefined && !json && asks.length > 0)
    console.log(["  It requests, beyond tightening:", ...formatSettingsTable(asks)].join("\n"));
  return asks;
}

/** Starts a host without storing anything. */
async function checkWithHost(accepted: ReadConfig): Promise<void> {
  const { roots, sandbox, plugins } = accepted.config;
  const withoutState = { stateDir: false, administratorPolicy: false } as const;
  await withHost(withoutUndefined({ roots, sandbox, plugins, ...withoutState }), async ({ catalogue }) => {
    const problem = findRuleProblem(toWorkspaceRules(accepted), catalogue);
    if (problem !== undefined) throw problem;
  });
}

export const trustedAction = action({
  options: { also, json: FLAG, state: FOLDER },
  names: "file",
  most: 1,
  async run({ also: more, json, state }, [target]) {
    const store = new TrustStore(readStateValue(state));
    if (target === undefined) return listTrust(store, json);
    const shown: object[] = [];
    for (const file of filesAt(target)) {
      const proposal = await proposeTrust(file, more);
      const { path, covered, config: proposed } = proposal;
      const { record, problem } = store.find(path);
      const ended = record && explainEndedTrust(record, true);
      const isTrusted = record === undefined ? "not trusted" : ended === undefined ? "trusted" : "ended";
      shown.push({
        path,
        trust: isTrusted,
        at: record?.at,
        by: record?.by,
        ended,
        problem,
        asks: proposed && listRequestedSettings(proposed),
        files: Object.fromEntries(covered.files),
        packages: covered.packages,
      });
      if (json) continue;
      const since = record && `since ${record.at.slice(0, 10)}, by ${record.by}`;
      const verdict = {
        trusted: `Trusted ${since}.`,
        ended: `Was trusted ${since}; the trust has ended: ${ended}.`,
        "not trusted": "Not trusted.",
      }[isTrusted];
      console.log(`${describeProposal(proposal)}\n\n  ${verdict}\n`);
      if (problem !== undefined) console.error(`haft: ${problem}`);
    }
    if (json) console.log(JSON.stringify({ files: shown }));
    return 0;
  },
});

function listTrust(store: TrustStore, json: boolean | undefined): number {
  const { records, problems } = store.all();
  const trusted = records.map((record) => {
    const { path, at, by } = record;
    return { path, at, by, ended: explainEndedTrust(record, true) };
  });
  if (json) console.log(JSON.stringify({ trusted, problems }));
  else if (trusted.length === 0)
    console.log("Nothing is trusted; configurations in workspaces only tighten.");
  else {
    const rows = trusted.map(({ path, at, by, ended }) =>
      [path, ended === undefined ? "trusted" : "ended", `${at.slice(0, 10)} by ${by}`, ended ?? ""].map(
        escapeInvisible,
      ),
    );
    console.log(formatTable(rows).join("\n"));
  }
  for (const problem of problems) console.error(`haft: ${problem}`);
  return problems.length > 0 ? 1 : 0;
}

export const untrustAction = action({
  options: { all: FLAG, json: FLAG, state: FOLDER },
  decides: WHAT,
  names: "file",
  most: Infinity,
  async run({ all = false, json, state }, targets) {
    if ((targets.length === 0) !== all)
      throw new UsageError(
        "Name files: haft config untrust DIR|FILE… or --all; haft config trusted lists all.",
      );
    const store = new TrustStore(readStateValue(state));
    const { records } = store.all();
    const isAt = (path: string, target: string) => path === target || dirname(path) === target;
    const paths = targets.map((each) =>
      join(resolveRealPath(dirname(resolve(each))), basename(resolve(each))),
    );
    const wanted = all ? records : records.filter(({ path }) => paths.some((each) => isAt(path, each)));
    const revoked = wanted.filter(({ path }) => store.remove(path)).map(({ path }) => path);
    const unknown = paths.filter((each) => !records.some(({ path }) => isAt(path, each)));
    if (json) console.log(JSON.stringify({ revoked, unknown }));
    else {
      for (const path of revoked) console.log(`${escapeInvisible(path)} is no longer trusted.`);
      if (all && revoked.length === 0) console.log("There is nothing to revoke.");
      for (const path of unknown)
        console.error(`haft: ${path} is not trusted, so there is nothing to revoke.`);
    }
    return unknown.length > 0 ? 1 : 0;
  },
});

function filesAt(target: string): string[] {
  const path = resolve(target);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [path];
  const files = listWorkspaceConfigurations(path);
  if (files.length > 0) return files;
  throw commandError(
    "CONFIG_INVALID",
    `There is no haft.config.yaml, .json, .ts or .js in ${path}, nor above it in its repository.`,
    { fix: "Name the file, or its folder; haft config show lists the searched paths." },
  );
}
