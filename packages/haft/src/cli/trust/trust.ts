import { escapeInvisible } from "@haft/core/internal";
import { textTable } from "@haft/policy";
import { statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { realPlace } from "../../boundary/real-path.ts";
import { configurationsIn } from "../../config/find-configuration.ts";
import { hostError } from "../../errors.ts";
import { whyEnded } from "../../trust/still-trusted.ts";
import type { TrustRecord } from "../../trust/trust-record.ts";
import { TrustStore } from "../../trust/trust-store.ts";
import { readStateValue } from "../place/state-value.ts";
import { refuseInSession } from "../refuse-in-session.ts";
import { refuseWithoutTerminal } from "../refuse/refuse-to-agents.ts";
import { defineCommand, UsageError } from "../usage.ts";
import { giveTrust } from "./give-trust.ts";
import { showTrust } from "./show-trust.ts";

const help = `haft trust [DIR|FILE] [--yes] [--also FILE]… [--json]
haft trust list [--json]
haft trust show [DIR|FILE] [--json]
haft trust revoke DIR|FILE…|--all [--json]

A configuration that lies in a workspace only tightens, and code of one is not loaded, until you trust
this very content. Then it brings roots, a sandbox, plugins, a model and a policy as well; what your own
configuration denies or asks about stays so. Trust covers the file, every file that it reads and loads,
and the packages they import. It holds in this place, and ends when any of that changes.

  haft trust                shows what the files of this folder, and those above it in its repository, ask
                            for, and asks you about each
  haft trust list           what is trusted, and what was and is not any more
  haft trust show           the same as haft trust, without asking
  haft trust revoke .       no more

      --yes                 trust without asking, where there is no terminal
      --also FILE           one more file that is loaded, and named nowhere in words that can be found
      --all                 with revoke: everything
      --json                for programs
      --state DIR           where Haft keeps its state; default: HAFT_STATE_DIR, or
                            ~/.local/state/haft
  -h, --help                this text

Agents cannot give it: their commands do not reach this folder, and are refused where they try.

Exit codes: 0 when it was done, 1 when not (a no, a broken file, nothing there), 2 for wrong usage.`;

export const trustCommand = defineCommand(
  help,
  {
    yes: { type: "boolean" },
    also: { type: "string", multiple: true, names: "file" },
    all: { type: "boolean" },
    json: { type: "boolean" },
    state: { type: "string", names: "folder" },
    help: { type: "boolean", short: "h" },
  },
  async (values, [first, ...rest]) => {
    const store = new TrustStore(readStateValue(values.state));
    const only = (option: "yes" | "also" | "all", action: string, where: boolean) => {
      if (values[option] !== undefined && !where)
        throw new UsageError(`--${option} goes with haft trust ${action}.`);
    };
    const gives = first !== "list" && first !== "show" && first !== "revoke";
    only("yes", "[DIR|FILE]", gives);
    only("also", "[DIR|FILE]", gives || first === "show");
    only("all", "revoke", first === "revoke");
    if (first === "list") return listTrust(store, rest, values);
    if (first !== "show") {
      const what = "say which configurations are trusted";
      refuseInSession(what, [values.state]);
      if (first !== "revoke") refuseWithoutTerminal(what, WITHOUT_TERMINAL, [values.state]);
    }
    if (first === "revoke") return revokeTrust(store, rest, values);
    const [target, ...more] = first === "show" ? rest : first === undefined ? [] : [first, ...rest];
    if (more.length > 0) throw new UsageError("haft trust takes one folder or file at a time.");
    const files = filesAt(target ?? ".");
    if (first === "show") return showTrust(store, files, values);
    return giveTrust(store, files, values);
  },
  { names: "file", words: ["list", "show", "revoke"] },
);

const WITHOUT_TERMINAL = "Run it in a terminal, or when that agent has ended.";

/** A file, or those that a session in a folder has. */
function filesAt(target: string): string[] {
  const path = resolve(target);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [path];
  const files = configurationsIn(path);
  if (files.length > 0) return files;
  throw hostError(
    "CONFIG_INVALID",
    `There is no haft.config.yaml, .json, .ts or .js in ${path}, nor above it in its repository.`,
    {
      fix: "Name the file, or its folder; haft config show says where configurations are looked for.",
    },
  );
}

function listTrust(store: TrustStore, rest: readonly string[], { json }: { json?: boolean }): number {
  if (rest.length > 0) throw new UsageError("haft trust list takes no names.");
  const { records, problems } = store.all();
  const trusted = records.map((record) => ({ ...briefly(record), ...stateOf(record) }));
  if (json) console.log(JSON.stringify({ trusted, problems }));
  else if (trusted.length === 0)
    console.log("Nothing is trusted; configurations in workspaces only tighten.");
  else {
    const rows = trusted.map(({ path, at, by, ended }) => [
      escapeInvisible(path),
      ended === undefined ? "trusted" : "ended",
      `${at.slice(0, 10)} by ${escapeInvisible(by)}`,
      escapeInvisible(ended ?? ""),
    ]);
    console.log(textTable(rows).join("\n"));
  }
  for (const problem of problems) console.error(`haft: ${problem}`);
  return problems.length > 0 ? 1 : 0;
}

function briefly({ path, at, by }: TrustRecord) {
  return { path, at, by };
}

function stateOf(record: TrustRecord): { ended?: string } {
  const ended = whyEnded(record, true);
  return ended === undefined ? {} : { ended };
}

function revokeTrust(
  store: TrustStore,
  targets: readonly string[],
  { all = false, json = false }: { all?: boolean; json?: boolean },
): number {
  if ((targets.length === 0) !== all)
    throw new UsageError("Which ones? haft trust revoke DIR|FILE… or --all; haft trust list names them.");
  const { records } = store.all();
  const matches = (path: string, target: string) => path === target || dirname(path) === target;
  const places = targets.map((each) => join(realPlace(dirname(resolve(each))), basename(resolve(each))));
  const wanted = all ? records : records.filter(({ path }) => places.some((each) => matches(path, each)));
  const revoked = wanted.filter(({ path }) => store.remove(path)).map(({ path }) => path);
  const unknown = places.filter((each) => !records.some(({ path }) => matches(path, each)));
  if (json) console.log(JSON.stringify({ revoked, unknown }));
  else {
    for (const path of revoked) console.log(`${escapeInvisible(path)} is not trusted any more.`);
    if (all && revoked.length === 0) console.log("There was nothing to revoke.");
    for (const path of unknown) console.error(`haft: ${path} is not trusted, so there is nothing to revoke.`);
  }
  return unknown.length > 0 ? 1 : 0;
}
