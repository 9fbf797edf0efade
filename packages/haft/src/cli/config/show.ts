import type { PluginEntry } from "@haft/config";
import { defaultStateFolder } from "@haft/config/internal/boundary";
import {
  type Configuration,
  findConfiguration,
  type ConfigurationCandidate,
  mergeConfig,
  getEntryName,
  isEntry,
  getPluginReference,
  type ReadConfig,
  OPERATOR_ONLY_KEYS,
  selectUsableRules,
} from "@haft/config/internal/document";
import { DEFAULT_LIMITS, redactServer } from "@haft/config/internal/settings";
import type { Plugin } from "@haft/core";
import { withoutSecrets } from "@haft/core/internal";
import { createHost } from "@haft/host";
import type { PluginReport } from "@haft/plugin-loader";
import { formatPath, type KeyPath, type SourceMap, formatTable } from "@haft/policy";
import { withoutUndefined, escapeInvisible, isObject } from "@haft/utils";
import { preloadPlugins } from "../plugin-arguments.ts";
import { readPolicyValues, readSessionValues, type SessionValues } from "../session-arguments.ts";
import { listLeaves } from "./list-leaves.ts";

interface Shown {
  key: string;
  value: unknown;
  from: string;
  line?: number;
}

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
  network: { allowPrivate: [] },
  model: { contextTokens: 128_000, images: true },
  plugins: [],
  approvals: { notify: [] },
  record: "plan",
  durability: "process",
  keep: { days: 30, bytes: "500 MB" },
  onStoreFault: "refuse",
  store: "sqlite",
  mcp: { servers: {} },
  nodes: {},
  node: {},
  serve: {},
};

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
          stateDir: options.stateDir ?? defaultStateFolder(),
        });
  const plugins = [...(mergeConfig(configuration).plugins ?? []), ...(options.plugins ?? [])];
  await preloadPlugins(plugins);
  const host = await createHost({ plugins, stateDir: false, administratorPolicy: false });
  const tightening = selectUsableRules(configuration, host.catalogue);
  const reports = host.plugins().filter(({ source }) => source !== "built-in");
  await host.close();
  const shown: Shown[] = [];
  const covered = new Set<string>();
  const add = (value: unknown, path: KeyPath, from: string, positions?: SourceMap, shift = 0) => {
    for (const [at, leaf] of listLeaves(value, path)) {
      const key = formatPath(at);
      if (covered.has(key)) continue;
      covered.add(key);
      const keyPath = at.slice(shift);
      const file = positions?.fileOf?.(keyPath) ?? from;
      shown.push(withoutUndefined({ key, value: leaf, from: file, line: positions?.(keyPath) }));
    }
  };
  const { trusted, policy, layers } = configuration;
  const believed = [...(trusted ? [trusted] : []), ...layers];
  const config = trusted === undefined ? {} : inWords(trusted.config);
  const named = await readPolicyValues(values);
  if (named.policy !== undefined)
    add(named.policy, ["policy"], `--policy ${named.policySource}`, named.policyPositions, 1);
  else if (policy) add(policy.config, ["policy"], policy.policySource, policy.policyPositions, 1);
  else if (trusted) add(config["policy"], ["policy"], trusted.policySource, trusted.policyPositions, 1);
  const given = { roots: options.roots, sandbox: options.sandbox, model: session.model };
  for (const [key, value] of Object.entries(given)) add(value, [key], "option");
  for (const key of ["roots", "sandbox", "network", "model", "plugins"] as const)
    if (key !== "plugins")
      for (const each of believed) add(inWords(each.config)[key], [key], each.source, each.positions);
  for (const key of OPERATOR_ONLY_KEYS)
    if (trusted) add(shownRecords(key, config[key]), [key], trusted.source, trusted.positions);
  const entries = believed.flatMap((each) =>
    (each.config.plugins ?? []).map((entry, index) => ({ each, entry, index })),
  );
  for (const [index, { each, entry, index: entryIndex }] of entries.entries()) {
    add(getEntryName(entry), ["plugins", index], each.source, () => each.positions(["plugins", entryIndex]));
    const settings = shownConfig(entry, reports[index]);
    const lineOf = (path: KeyPath) => each.positions(["plugins", entryIndex, ...path.slice(2)]);
    add(settings, ["plugins", index, "config"], each.source, lineOf);
  }
  for (const [index, plugin] of (options.plugins ?? []).entries())
    add(getEntryName(plugin), ["plugins", entries.length + index], "--plugin");
  for (const [key, value] of Object.entries(DEFAULTS)) {
    if (key === "sandbox" && config["sandbox"] === false && given.sandbox === undefined) continue;
    if (isObject(value) && Object.keys(value).length > 0) add(value, [key], "default");
    else if (![...covered].some((each) => each.startsWith(key) && /^(?:$|[.[])/.test(each.slice(key.length))))
      add(value, [key], "default");
  }
  const rulesOf = (isTrusted: boolean) =>
    tightening.flatMap(
      ({ source, file, config: rules, positions, limits, filePositions, trusted: each = false }) => {
        const ofRules =
          each === isTrusted && Object.keys(rules).length > 0 ? listLeaves(rules, ["policy"]) : [];
        return [
          ...ofRules.map(([at, value]) =>
            withoutUndefined<Shown>({
              key: formatPath(at),
              value,
              from: source,
              line: positions?.(at.slice(1)),
            }),
          ),
          ...(isTrusted ? [] : listLeaves(limits, ["sandbox", "limits"])).map(([at, value]) =>
            withoutUndefined<Shown>({ key: formatPath(at), value, from: file, line: filePositions?.(at) }),
          ),
        ];
      },
    );
  const [tightens, trusts] = [rulesOf(false), rulesOf(true)];
  const { candidates } = configuration;
  if (values.json)
    console.log(JSON.stringify({ looked: candidates, values: shown, tightens, trusted: trusts }));
  else print(candidates, shown, { tightens, trusts });
  return candidates.some(
    ({ outcome, trust, notes = [] }) =>
      outcome === "passed over" || (trust !== "trusted" && notes.length > 0),
  )
    ? 1
    : 0;
}

const NOTHING: Configuration = {
  trusted: undefined,
  policy: undefined,
  workspace: [],
  layers: [],
  candidates: [],
};

function print(
  looked: readonly ConfigurationCandidate[],
  values: readonly Shown[],
  { tightens, trusts }: { tightens: readonly Shown[]; trusts: readonly Shown[] },
): void {
  const sections = [
    section(
      "Looked for:",
      looked.map(({ path, as, outcome, why, trust }) => [
        escapeInvisible(path),
        as,
        trust === undefined
          ? outcome
          : `${outcome}${trust === "trusted" || outcome !== "used" ? "" : " to tighten"}, ${TRUST[trust]}`,
        why === undefined ? "" : escapeInvisible(why.startsWith(path) ? why.slice(path.length + 1) : why),
      ]),
    ),
    section("Values:", values.map(rowOf)),
    section("Tightened by the workspace:", tightens.map(rowOf)),
    section("Rules of trusted files of the workspace:", trusts.map(rowOf)),
    looked.flatMap(({ notes = [] }) => notes.map(escapeInvisible)).join("\n"),
  ];
  console.log(sections.filter(Boolean).join("\n\n"));
}

const TRUST = { trusted: "trusted", "not trusted": "not trusted", ended: "trust ended" } as const;

function section(title: string, rows: readonly string[][]): string {
  if (rows.length === 0) return "";
  return [title, ...formatTable(rows.map((row) => ["", ...row]))].join("\n");
}

function rowOf({ key, value, from, line }: Shown): string[] {
  const position = line === undefined ? from : `${from}:${line}`;
  return [escapeInvisible(key), escapeInvisible(JSON.stringify(value)), escapeInvisible(position)];
}

function inWords({ plugins, sandbox, ...config }: ReadConfig["config"]): Record<string, unknown> {
  const backend = sandbox && typeof sandbox.backend === "object" ? { backend: "an object" } : {};
  return {
    ...config,
    ...(sandbox === undefined ? {} : { sandbox: sandbox && { ...sandbox, ...backend } }),
    ...(plugins === undefined ? {} : { plugins: plugins.map(getEntryName) }),
  };
}

const NOT_SHOWN = "not shown: the plugin does not mark its secrets";

function shownConfig(entry: Plugin | PluginEntry, report: PluginReport | undefined): unknown {
  const config = getPluginReference(entry)?.config ?? (isEntry(entry) ? entry.config : undefined);
  if (config === undefined) return undefined;
  const { configSchema } = report ?? {};
  return configSchema === undefined ? NOT_SHOWN : withoutSecrets(configSchema, config);
}

const HIDDEN = "not shown: it may be a secret";

/** An address may grant access to a service. */
function shownRecords(key: string, value: unknown): unknown {
  if (key === "nats" && isObject(value)) return shownNats(value);
  if ((key === "node" || key === "nodes") && isObject(value))
    return value["server"] === undefined ? value : { ...value, server: withoutPassword(value["server"]) };
  if (key === "mcp") return shownMcp(value);
  if (key !== "approvals" || !isObject(value)) return value;
  const { notify, ...rest } = value;
  return { ...rest, ...(Array.isArray(notify) && { notify: notify.map(shownTarget) }) };
}

function shownMcp(value: unknown): unknown {
  const servers = isObject(value) ? value["servers"] : undefined;
  if (!isObject(servers)) return value;
  const shown = Object.entries(servers).map(([name, one]) => [name, isObject(one) ? redactServer(one) : one]);
  return { servers: Object.fromEntries(shown) };
}

function shownTarget(target: unknown): unknown {
  if (!isObject(target) || "command" in target) return target;
  const { url, headers, ...rest } = target;
  return { url: shownUrl(url), ...rest, ...(headers === undefined ? {} : { headers: hiddenTexts(headers) }) };
}

function shownUrl(url: unknown): unknown {
  if (typeof url !== "string") return url;
  return URL.canParse(url) ? `${new URL(url).origin}/… (the rest is not shown)` : HIDDEN;
}

function shownNats({ servers, password, token, ...rest }: Record<string, unknown>): object {
  return {
    servers: Array.isArray(servers) ? servers.map(withoutPassword) : withoutPassword(servers),
    ...rest,
    ...(password === undefined ? {} : { password: hiddenTexts(password) }),
    ...(token === undefined ? {} : { token: hiddenTexts(token) }),
  };
}

function withoutPassword(server: unknown): unknown {
  return typeof server === "string" ? server.replace(/^(\w+:\/\/)?.*@/s, "$1") : server;
}

function hiddenTexts(value: unknown, name = ""): unknown {
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, hiddenTexts(each, key)]));
  return typeof value !== "string" || name === "env" ? value : HIDDEN;
}
