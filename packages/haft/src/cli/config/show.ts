import { withoutUndefined } from "@haft/core";
import { escapeInvisible } from "@haft/core/internal";
import { formatPath, type KeyPath, type Positions, textTable } from "@haft/policy";
import { type Configuration, findConfiguration, type LookedFor } from "../../config/find-configuration.ts";
import { nameOfEntry } from "../../config/placed-plugins.ts";
import type { ReadConfig } from "../../config/read-config.ts";
import { usableRules } from "../../host/configured-options.ts";
import { createHost } from "../../host/host.ts";
import { DEFAULT_LIMITS } from "../../sandbox/settings.ts";
import { openBefore } from "../plugin-arguments.ts";
import { readPolicyValues, readSessionValues, type SessionValues } from "../session-arguments.ts";

/** One value, and who says so. */
interface Shown {
  key: string;
  value: unknown;
  /** A file, `default`, or the option of the command line. */
  from: string;
  /** Counted from 1. */
  line?: number;
}

/** What holds where nobody says anything. */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  policy: {},
  roots: {},
  sandbox: {
    backend: "auto",
    scope: "session",
    workspaceAccess: "none",
    roots: {},
    network: "none",
    limits: DEFAULT_LIMITS,
    lifetime: "tethered",
  },
  model: { contextTokens: 128_000, images: true },
  plugins: [],
};

/** Prints where each value came from, and what was looked for. Resolves to the exit code. */
export async function showConfiguration(values: SessionValues & { json?: boolean }): Promise<number> {
  const { host: options, session } = await readSessionValues(values);
  const { config: where, workspaceDir = "." } = options;
  const configuration =
    where === undefined || where === false
      ? NOTHING
      : await findConfiguration({
          ...(where === true ? {} : { named: where }),
          workspaceDir,
          hasPolicy: options.policy !== undefined,
        });
  const plugins = [...(configuration.trusted?.config.plugins ?? []), ...(options.plugins ?? [])];
  await openBefore(plugins);
  const host = await createHost({ plugins, stateDir: false, administratorPolicy: false });
  const tightening = usableRules(configuration, host.catalogue);
  await host.close();
  const shown: Shown[] = [];
  const covered = new Set<string>();
  const add = (value: unknown, path: KeyPath, from: string, positions?: Positions, shift = 0) => {
    for (const [at, leaf] of leavesOf(value, path)) {
      const key = formatPath(at);
      if (covered.has(key)) continue;
      covered.add(key);
      const place = at.slice(shift);
      const file = positions?.fileOf?.(place) ?? from;
      shown.push(withoutUndefined({ key, value: leaf, from: file, line: positions?.(place) }));
    }
  };
  const { trusted, policy } = configuration;
  const config = trusted === undefined ? {} : inWords(trusted.config);
  const named = await readPolicyValues(values);
  if (named.policy !== undefined)
    add(named.policy, ["policy"], `--policy ${named.policySource}`, named.policyPositions, 1);
  else if (policy) add(policy.config, ["policy"], policy.policySource, policy.policyPositions, 1);
  else if (trusted) add(config["policy"], ["policy"], trusted.policySource, trusted.policyPositions, 1);
  const given = { roots: options.roots, sandbox: options.sandbox, model: session.model };
  for (const [key, value] of Object.entries(given)) add(value, [key], "option");
  for (const key of ["roots", "sandbox", "model", "plugins"] as const)
    if (trusted) add(config[key], [key], trusted.source, trusted.positions);
  for (const [index, plugin] of (options.plugins ?? []).entries())
    add(nameOfEntry(plugin), ["plugins", plugins.length - options.plugins!.length + index], "--plugin");
  for (const [key, value] of Object.entries(DEFAULTS)) {
    if (key === "sandbox" && config["sandbox"] === false && given.sandbox === undefined) continue;
    if (isObject(value) && Object.keys(value).length > 0) add(value, [key], "default");
    else if (![...covered].some((each) => each === key || each.startsWith(`${key}.`)))
      add(value, [key], "default");
  }
  const workspace = tightening.map(({ source, config: rules, positions, limits, whole }) => [
    ...leavesOf(rules, ["policy"]).map(([at, value]) =>
      withoutUndefined<Shown>({ key: formatPath(at), value, from: source, line: positions?.(at.slice(1)) }),
    ),
    ...leavesOf(limits, ["sandbox", "limits"]).map(([at, value]) =>
      withoutUndefined<Shown>({ key: formatPath(at), value, from: source, line: whole?.(at) }),
    ),
  ]);
  const { looked } = configuration;
  if (values.json) console.log(JSON.stringify({ looked, values: shown, tightens: workspace.flat() }));
  else print(looked, shown, workspace.flat());
  return looked.some(({ outcome }) => outcome === "passed over") ? 1 : 0;
}

const NOTHING: Configuration = { trusted: undefined, policy: undefined, workspace: [], looked: [] };

function print(looked: readonly LookedFor[], values: readonly Shown[], tightens: readonly Shown[]): void {
  const sections = [
    section(
      "Looked for:",
      looked.map(({ path, as, outcome, why }) => [
        escapeInvisible(path),
        as,
        outcome + (outcome === "used" && as === "workspace" ? ", to tighten" : ""),
        why === undefined ? "" : escapeInvisible(why.startsWith(path) ? why.slice(path.length + 1) : why),
      ]),
    ),
    section("Values:", values.map(rowOf)),
    section("The workspace tightens, beside them:", tightens.map(rowOf)),
  ];
  console.log(sections.filter(Boolean).join("\n\n"));
}

function section(title: string, rows: readonly string[][]): string {
  if (rows.length === 0) return "";
  return [title, ...textTable(rows.map((row) => ["", ...row]))].join("\n");
}

function rowOf({ key, value, from, line }: Shown): string[] {
  const place = line === undefined ? from : `${from}:${line}`;
  return [escapeInvisible(key), escapeInvisible(JSON.stringify(value)), escapeInvisible(place)];
}

/** What is code, by its name. */
function inWords({ plugins, sandbox, ...config }: ReadConfig["config"]): Record<string, unknown> {
  const backend = sandbox && typeof sandbox.backend === "object" ? { backend: "an object" } : {};
  return {
    ...config,
    ...(sandbox === undefined ? {} : { sandbox: sandbox && { ...sandbox, ...backend } }),
    ...(plugins === undefined ? {} : { plugins: plugins.map(nameOfEntry) }),
  };
}

/** What is no map or list with something in it, with the keys on the way. */
function leavesOf(value: unknown, path: KeyPath): [KeyPath, unknown][] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.length > 0)
    return value.flatMap((each, index) => leavesOf(each, [...path, index]));
  if (isObject(value) && Object.keys(value).length > 0)
    return Object.entries(value).flatMap(([key, each]) => leavesOf(each, [...path, key]));
  return [[path, value]];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
