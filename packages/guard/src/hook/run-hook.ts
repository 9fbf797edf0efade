import { configFolder, findHaftFolder, realPathOrSelf } from "@haft/config/internal/boundary";
import { resolveStateFolder } from "@haft/config/internal/home-folder";
import { getErrorMessage } from "@haft/core";
import { readRegularFile } from "@haft/system";
import { lazy } from "@haft/utils";
import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import { getAgent } from "../agents/agents.ts";
import type { FindProcess } from "../clients/client-process.ts";
import { clientsFolder, recordClient } from "../clients/client-records.ts";
import type { GuardAgent, HookAnswer } from "../contract/agent.ts";
import type { GuardApprovals } from "../contract/approvals.ts";
import type { AgentId, GuardPayload } from "../contract/payload.ts";
import type { Verdict } from "../contract/verdict.ts";
import { decide, type DecideContext, type GuardDecision, verdictFromError } from "../decide/decide.ts";
import type { ProtectedPaths } from "../decide/protected-paths.ts";
import { guardFolder } from "../rules/guard-folder.ts";
import type { GuardRules } from "../rules/guard-rules.ts";
import { noRules } from "../rules/no-rules.ts";
import { readCachedRules } from "../rules/rules-cache.ts";
import type { isHaftServer } from "../servers/is-haft-server.ts";
import { serverFiles } from "../servers/server-files.ts";
import type { SettingsLocation } from "../settings/agent-settings.ts";
import { PROBE_SESSION } from "../settings/hook-constants.ts";

export interface HookArguments {
  agent: string;
  event?: string | undefined;
  /** Absolute. Replaces the operator's configuration. */
  policyFile?: string | undefined;
  /** Only records the decision. Default false. */
  watchOnly?: boolean;
  /** Marks every answer, to distinguish it from silence. Default false. */
  marked?: boolean;
  /** False for a trial. Default true. */
  asks?: boolean;
}

/**
 * Describes one run of a hook.
 *
 * @example
 * ```ts
 * import type { HookRun } from "@haft/guard/internal/hook";
 * const format = ({ agent, payload, decided }: HookRun) => `${agent.label} ${payload?.toolName}: ${decided?.verdict.effect}`;
 * ```
 */
export interface HookRun {
  agent: GuardAgent;
  payload?: GuardPayload;
  rules?: GuardRules;
  decided?: GuardDecision;
  /** Set if Haft could not decide. */
  failure?: unknown;
  answer: HookAnswer;
}

export interface HookModules {
  readRules(wanted: Parameters<typeof readCachedRules>[1], agent: GuardAgent): Promise<GuardRules>;
  loadFindProcess(): Promise<FindProcess>;
  loadHaftServerCheck(): Promise<typeof isHaftServer>;
  openApprovals(): Promise<{ approvals: GuardApprovals; close(): Promise<void> }>;
  auditDecision(written: AuditedDecision, settings: GuardRules["audit"]): Promise<void>;
}

export interface AuditedDecision {
  payload: GuardPayload;
  decided: GuardDecision;
  answer: Verdict["effect"];
  /** Set if the hook only watches. */
  watched: boolean;
  project: string;
}

/**
 * Answers the question of a hook. Every failure is a denial.
 *
 * @throws HaftError `GUARD_AGENT_UNKNOWN`
 *
 * @example
 * ```ts
 * import { readInput, runHook } from "@haft/guard/internal/hook";
 * import { lazyHookModules } from "@haft/guard/internal/hook-modules";
 * const { answer } = await runHook({ agent: "claude" }, readInput, lazyHookModules);
 * process.stdout.write(answer.stdout);
 * ```
 */
export async function runHook(
  line: HookArguments,
  text: () => Promise<string>,
  parts: HookModules,
): Promise<HookRun> {
  const agent = getAgent(line.agent);
  const { env } = process;
  let run: Omit<HookRun, "answer"> = { agent };
  try {
    const payload = agent.read(JSON.parse(await text()), { event: line.event, env, cwd: currentFolder() });
    run = { ...run, payload };
    if (payload.calls.length === 0) return { ...run, answer: agent.answer(NO_OPINION, payload.event) };
    const root = projectFolder(payload, env);
    await noteAgent(payload, line, parts);
    const wanted = { policyFile: line.policyFile, folders: [...new Set([root, payload.cwd])] };
    const rules = await readCachedRules(guardFolder(), wanted, () => parts.readRules(wanted, agent));
    run = { ...run, rules };
    const decided = await decideBy(agent, payload, { rules, root, line, parts });
    const watched = line.watchOnly === true;
    const verdict = watched ? NO_OPINION : decided.verdict;
    // A required log needs an entry for each call.
    if (rules.audit !== undefined || watched)
      await parts.auditDecision(
        { payload, decided, answer: verdict.effect, watched, project: root },
        rules.audit,
      );
    return { ...run, decided, answer: agent.answer(verdict, payload.event) };
  } catch (thrown) {
    return { ...run, failure: thrown, answer: failedAnswer(agent, thrown, line) };
  }
}

const NO_OPINION = { effect: "allow", reason: "" } as const;

export function failedAnswer(
  agent: GuardAgent,
  thrown: unknown,
  { event, watchOnly }: HookArguments,
): HookAnswer {
  if (watchOnly === true) return agent.answer({ ...NO_OPINION, note: getErrorMessage(thrown) }, event ?? "");
  return agent.answer(verdictFromError(thrown), event ?? "");
}

async function decideBy(
  agent: GuardAgent,
  payload: GuardPayload,
  { rules, root, line, parts }: { rules: GuardRules; root: string; line: HookArguments; parts: HookModules },
): Promise<GuardDecision> {
  let opened: Awaited<ReturnType<HookModules["openApprovals"]>> | undefined;
  // Persons do not answer watching hooks and probes.
  const approvals: GuardApprovals | undefined =
    line.watchOnly === true || payload.sessionKey === `${payload.agent}:${PROBE_SESSION}`
      ? undefined
      : {
          async ask(question) {
            opened = await parts.openApprovals();
            return opened.approvals.ask(question);
          },
        };
  const isStarted = lazy(async () => (await import("./git-started-files.ts")).createGitFileCheck(root));
  const context: DecideContext = {
    policy: await usable(rules, agent),
    protectedPaths: protectedPathsOf(rules),
    root,
    env: ofClient(),
    notes: rules.notes,
    isStartedByGit: async (path) => (await isStarted())(path),
    isHaftServer: await haftServerCheck(payload, { root, line, parts, files: rules.files }),
    ...(approvals && { approvals }),
  };
  try {
    return await decide(agent, payload, context);
  } finally {
    await opened?.close();
  }
}

/** The hook line sets another home folder. */
function ofClient(): NodeJS.ProcessEnv {
  const { HAFT_CLIENT_HOME: home = "" } = process.env;
  return home === "" ? process.env : { ...process.env, HOME: home };
}

async function haftServerCheck(
  { agent, calls, cwd }: GuardPayload,
  {
    root,
    line,
    parts,
    files,
  }: { root: string; line: HookArguments; parts: HookModules; files: readonly string[] },
): Promise<(server: string) => boolean> {
  if (!calls.some((call) => call.kind === "mcp" && call.guessed !== true && call.server !== ""))
    return () => false;
  const location = { home: homedir(), env: process.env };
  if (!mayBeHaft(agent, location)) return () => false;
  const isServer = await parts.loadHaftServerCheck();
  const from = {
    ...location,
    agent,
    folders: [root, cwd],
    policyFile: line.policyFile,
    files,
  };
  return (server) => isServer(server, from);
}

async function usable(rules: GuardRules, agent: GuardAgent): Promise<DecideContext["policy"]> {
  const { broken, administrator, policy, workspace } = rules;
  if (broken !== undefined) return { broken };
  if ((administrator ?? policy) === undefined && workspace.length === 0) return noRules;
  const { createGuardPolicy } = await import("../rules/guard-policy.ts");
  try {
    return createGuardPolicy(rules, agent);
  } catch (thrown) {
    return { broken: { problem: getErrorMessage(thrown), files: rules.files } };
  }
}

/** Rules start in the folder of the agent's start, if known. */
function projectFolder({ cwd }: GuardPayload, env: NodeJS.ProcessEnv): string {
  const named = env["CLAUDE_PROJECT_DIR"] ?? env["GEMINI_PROJECT_DIR"] ?? "";
  const here = currentFolder();
  const around = here !== "/" && (cwd === here || cwd.startsWith(`${here}/`)) ? here : cwd;
  return realPathOrSelf(isAbsolute(named) ? named : around);
}

function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    const { PWD: named = "" } = process.env;
    return isAbsolute(named) ? named : "/";
  }
}

function protectedPathsOf({ files, audit }: GuardRules): ProtectedPaths {
  const { NODE_COMPILE_CACHE: compiled = "" } = process.env;
  const configured = [...files, audit?.file ?? "", compiled].filter((path) => path !== "");
  const folders = [configFolder(), resolveStateFolder().path, ...configured];
  return {
    home: homedir(),
    haftPaths: withTargets(folders),
    secrets: withTargets(SECRETS.map((name) => join(resolveStateFolder().path, name))),
    programs: withTargets([...listHookFolders(programFolder()), process.execPath]),
    env: process.env,
    findSettings: async (projects) =>
      (await import("../install/guard-settings.ts")).findGuardSettings(projects, {
        home: homedir(),
        env: process.env,
      }),
  };
}

function programFolder(): string {
  const haft = findHaftFolder();
  if (haft === undefined) return import.meta.dirname;
  return join(haft, import.meta.url.endsWith(".ts") ? "src" : "dist");
}

const SECRETS = ["serve", "inspect", "mcp-credentials", "node", "nodes"];

function withTargets(paths: readonly string[]): string[] {
  return [...new Set(paths.flatMap((path) => [path, realPathOrSelf(path)]))];
}

async function noteAgent(
  { agent, sessionKey }: GuardPayload,
  { watchOnly, asks = true }: HookArguments,
  parts: HookModules,
): Promise<void> {
  const { value, path } = resolveStateFolder();
  if (watchOnly === true || !asks || !isAbsolute(value)) return;
  await recordClient(clientsFolder(path), { agent, session: sessionKey, pid: process.ppid }, async () =>
    parts.loadFindProcess(),
  );
}

/** Names packages outside Haft that a hook loads. */
export const HOOK_DEPENDENCIES = ["jsonc-parser", "smol-toml", "unbash", "yaml"] as const;

/**
 * Returns the folders that a hook loads from: its package and the packages in the same `node_modules`. In a checkout, only the program's
 * folder.
 *
 * @example
 * ```ts run
 * import { listHookFolders } from "@haft/guard/internal/hook";
 * listHookFolders("/srv/checkout/src"); // => ["/srv/checkout/src"]
 * ```
 */
export function listHookFolders(folder: string): string[] {
  const ownFolder = dirname(folder);
  const packages = dirname(ownFolder);
  if (basename(packages) !== "node_modules") return [folder];
  return [ownFolder, ...["@haft", ...HOOK_DEPENDENCIES].map((name) => join(packages, name))];
}

/** Bytes. */
const LARGEST = 16 * 1024 * 1024;

const STARTS = /["']serve["']/;

/** The proof needs parsers, so this check precedes it. */
function mayBeHaft(agent: AgentId, location: Pick<SettingsLocation, "home" | "env">): boolean {
  const configFiles = serverFiles[agent]?.(location).userFiles ?? [];
  const named = configFiles.map(textOf).filter((text) => text !== "");
  return named.length > 0 && (named.some((text) => STARTS.test(text)) || hasEndpoints());
}

function textOf(path: string): string {
  try {
    return readRegularFile(path, { maxBytes: LARGEST, followLink: true }).toString("utf8");
  } catch {
    return "";
  }
}

function hasEndpoints(): boolean {
  try {
    return readdirSync(join(resolveStateFolder().path, "serve")).some((name) => name.startsWith("endpoint-"));
  } catch {
    return false;
  }
}
