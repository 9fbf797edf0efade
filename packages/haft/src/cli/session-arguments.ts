import { readPolicyFile, type PolicyText, type SandboxSettings } from "@haft/config";
import { attachPluginReference } from "@haft/config/internal/document";
import { BUILT_IN_BACKENDS } from "@haft/config/internal/settings";
import { HaftError, type ModelFacts, type Plugin, type Sender } from "@haft/core";
import type { HostOptions, HostSessionOptions } from "@haft/host";
import { type ReadOptions, replaceConfiguredPolicy } from "@haft/host/internal/host";
import { sessionKinds } from "@haft/policy";
import { systemReason } from "@haft/system";
import { withoutUndefined } from "@haft/utils";
import { type Stats, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { commandLineSessionKey } from "./location/session-key.ts";
import { readStateValue } from "./location/state-value.ts";
import { toSessionArguments } from "./location/to-session-arguments.ts";
import { UsageError, type Values } from "./usage.ts";

export const sessionArguments = {
  session: { type: "string", short: "s", words: sessionKinds },
  workspace: { type: "string", short: "w", names: "folder" },
  root: { type: "string", multiple: true },
  sandbox: { type: "string", words: ["auto", ...BUILT_IN_BACKENDS] },
  "sandbox-access": { type: "string", words: ["none", "ro", "rw"] },
  "sandbox-network": { type: "string" },
  "sandbox-image": { type: "string" },
  "sandbox-scope": { type: "string", words: ["session", "agent", "shared"] },
  "hard-links": { type: "string", words: ["packages", "refuse", "allow"] },
  config: { type: "string", names: "file" },
  "no-config": { type: "boolean" },
  plugin: { type: "string", multiple: true, names: "file" },
  policy: { type: "string", names: "file" },
  "admin-policy": { type: "string", names: "file" },
  agent: { type: "string" },
  channel: { type: "string" },
  group: { type: "string" },
  sender: { type: "string" },
  "session-key": { type: "string" },
  state: { type: "string", names: "folder" },
  model: { type: "string" },
  "context-tokens": { type: "string" },
} as const;

export const sessionArgumentsHelp = `Session options:
  -s, --session KIND        main (default: only for the owner), group (for many senders, on this machine) or
                            sandboxed (for many senders, isolated)
  -w, --workspace DIR       folder of the file tools; default: the current folder
      --root NAME=DIR[:ro|:rw]
                            one more folder, addressed as NAME:path; read-only unless :rw; a NAME has two or more
                            letters
      --sandbox BACKEND     backend of a sandboxed session: auto (default: the first of bubblewrap and docker
                            that works here, or sandbox-runtime for a list of hosts), bubblewrap, docker or
                            sandbox-runtime
      --sandbox-access MODE access to the workspace: none (default: an empty folder instead), ro or rw
      --sandbox-network NET none (default), full, or host names separated by commas:
                            a.example,*.b.example,localhost:8080
      --sandbox-image NAME  image for docker
      --sandbox-scope SCOPE sessions that share it: session (default), agent or shared
      --hard-links MODE     reading files that have several names: packages (default: only in node_modules and
                            site-packages), refuse or allow
      --config FILE         configuration; default: HAFT_CONFIG, or ~/.config/haft/haft.config.yaml if it
                            exists; files in the workspace only tighten; see haft config --help
      --no-config           read no configuration, and ignore HAFT_CONFIG and HAFT_POLICY
      --plugin FILE         a plugin in addition to those of the configuration: its module, ./src/index.ts; can
                            be repeated
      --policy FILE         YAML or JSON file with rules, instead of those of the configuration and of
                            HAFT_POLICY; see haft policy --help
      --admin-policy FILE   rules that no policy can loosen; default: HAFT_ADMIN_POLICY, or
                            /etc/haft/policy.yaml if it exists
      --agent ID            agent of the session; default: main
      --channel NAME        channel of the messages
      --group ID            group or room of the conversation
      --sender WHO          sender of the messages: id:…, phone:…, username:…, name:… or system
      --session-key KEY     conversation of approvals; default: one for each folder, kind of session, channel
                            and group
      --state DIR           folder of calls, approvals and undo; default: HAFT_STATE_DIR, or ~/.local/state/haft
      --model NAME          model that reads the results, as provider/model
      --context-tokens N    context window of the model, which sets page sizes (default 128000)
  -h, --help                print this text`;

export type SessionValues = Values<typeof sessionArguments>;

export async function readSessionValues(
  values: SessionValues,
): Promise<{ host: HostOptions; session: HostSessionOptions }> {
  const sandbox = readSandboxValues(values);
  const kind = values.session ?? (sandbox ? "sandboxed" : "main");
  const host: HostOptions = { workspaceDir: readWorkspaceValue(values.workspace) };
  if (values.root) host.roots = Object.fromEntries(values.root.map(parseRoot));
  if (sandbox || (kind === "sandboxed" && host.roots))
    host.sandbox = { ...sandbox, ...(host.roots && { roots: host.roots }) };
  const hardLinks = values["hard-links"];
  if (hardLinks !== undefined) host.boundary = { hardLinks };
  // This error names the option; the host reads again.
  await readPolicyValues(values);
  if (values.policy !== undefined) host.policy = values.policy;
  if (values["admin-policy"] !== undefined) host.administratorPolicy = values["admin-policy"];
  if (values.config !== undefined && values["no-config"])
    throw new UsageError("--config and --no-config exclude each other; omit one.");
  if (values["no-config"] !== true) host.config = values.config === undefined || resolve(values.config);
  if (values.plugin) host.plugins = values.plugin.map(readPluginValue);
  const stateDir = readStateValue(values.state);
  if (values.state !== undefined) host.stateDir = stateDir;
  const { agent, channel, group, sender, "context-tokens": tokens } = values;
  const model = withoutUndefined<Partial<ModelFacts>>({
    name: values.model,
    contextTokens: tokens === undefined ? undefined : positive("--context-tokens", tokens),
  });
  const session = withoutUndefined<HostSessionOptions>({
    kind,
    sessionKey: values["session-key"] ?? commandLineSessionKey(host.workspaceDir!, { kind, channel, group }),
    sandbox,
    openedWith: toSessionArguments(values, Object.keys(sessionArguments)),
    agentId: agent,
    messageChannel: channel,
    groupId: group,
    sender: sender === undefined ? undefined : senderFrom(sender),
    model: Object.keys(model).length > 0 ? model : undefined,
  });
  return { host: replaceConfiguredPolicy(host), session };
}

export function readWorkspaceValue(path = "."): string {
  return folder("--workspace", path);
}

export async function readPolicyValues(
  values: Pick<SessionValues, "policy" | "admin-policy">,
): Promise<Pick<ReadOptions, "policy" | "policySource" | "policyPositions" | "administratorPolicy">> {
  const { policy: path, "admin-policy": adminPath } = values;
  const options: Awaited<ReturnType<typeof readPolicyValues>> = {};
  if (path !== undefined) {
    const { config, positions } = await readNamed("--policy", path);
    Object.assign(options, { policy: config, policySource: path, policyPositions: positions });
  }
  if (adminPath !== undefined) {
    options.administratorPolicy = { ...(await readNamed("--admin-policy", adminPath)), source: adminPath };
  }
  return options;
}

async function readNamed(option: string, path: string): Promise<PolicyText> {
  try {
    return await readPolicyFile(path);
  } catch (thrown) {
    throw HaftError.is(thrown) ? new UsageError(`${option}: ${thrown.message}`) : thrown;
  }
}

export function readSandboxValues(values: SessionValues): SandboxSettings | undefined {
  const { sandbox, "sandbox-access": access, "sandbox-network": network } = values;
  const { "sandbox-image": image, "sandbox-scope": scope } = values;
  const settings: SandboxSettings = {};
  if (sandbox !== undefined) settings.backend = sandbox;
  if (access !== undefined) settings.workspaceAccess = access;
  if (network !== undefined) settings.network = networkFrom("--sandbox-network", network);
  if (image !== undefined) settings.image = image;
  if (scope !== undefined) settings.scope = scope;
  return Object.keys(settings).length > 0 ? settings : undefined;
}

export function networkFrom(option: string, text: string): NonNullable<SandboxSettings["network"]> {
  if (text === "none" || text === "full") return text;
  const allow = text.split(",").map((host) => host.trim());
  if (allow.every((host) => /^(localhost|[\w*-]+(\.[\w-]+)+)(:\d{1,5})?$/.test(host))) return { allow };
  throw new UsageError(`${option} is none, full or host names (a.example,b.example); got "${text}".`);
}

export function senderFrom(text: string): Sender | "system" {
  if (text === "system") return text;
  const [, field, value] = /^(id|phone|username|name):(.+)$/s.exec(text) ?? [];
  if (field !== undefined && value !== undefined) return { [field]: value };
  throw new UsageError(`--sender is id:…, phone:…, username:…, name:… or system; got "${text}".`);
}

/** Parses `NAME=DIR[:ro|:rw]`. @throws UsageError */
export function parseRoot(text: string): [string, { path: string; access: "ro" | "rw" }] {
  const match = /^([A-Za-z][A-Za-z0-9_-]+)=(.+?)(?::(ro|rw))?$/.exec(text);
  if (!match)
    throw new UsageError(
      `--root is NAME=DIR, NAME=DIR:ro or NAME=DIR:rw, with a NAME of two or more letters, digits, - or _; got "${text}".`,
    );
  const [, name, path, access] = match;
  return [name!, { path: folder("--root", path!), access: access === "rw" ? "rw" : "ro" }];
}

/** Only a configuration determines where packages are found. @throws UsageError */
export function readPluginValue(text: string): Plugin {
  const file = resolve(text);
  if (statsOf("--plugin", file)?.isFile() === true)
    return attachPluginReference(file, { from: dirname(file), source: "--plugin" }) as Plugin;
  const isPackage = /^(?:@[\w.-]+\/)?[\w-][\w.-]*$/.test(text) && !/\.[cm]?[jt]s$/.test(text);
  throw new UsageError(
    isPackage
      ? `--plugin takes a file, such as ./${text}/index.ts. The package ${text} belongs in a configuration: plugins: [${text}]; haft plugins add ${text} adds it.`
      : `--plugin: there is no file ${file}.`,
  );
}

function folder(option: string, path: string): string {
  const absolute = resolve(path);
  if (!statsOf(option, absolute)?.isDirectory())
    throw new UsageError(`${option}: there is no folder ${absolute}.`);
  return absolute;
}

function statsOf(option: string, path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (thrown) {
    throw new UsageError(`${option}: ${systemReason(thrown)}.`);
  }
}

function positive(option: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value <= 0)
    throw new UsageError(`${option} is a positive whole number; got "${text}".`);
  return value;
}
