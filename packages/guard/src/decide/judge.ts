import type { CommandTemplate } from "@haft/commands";
import type { CallSubjects, Decision, Policy, SessionFacts, SessionPolicy, ToolFacts } from "@haft/core";
import { basename, dirname } from "node:path";
import { parseHosts } from "../calls/find-urls.ts";
import { resolveHome } from "../calls/path-readings.ts";
import { clientToolFacts, haftTools, mcpFacts, unknownFacts } from "../calls/tool-facts.ts";
import type { GuardAgent } from "../contract/agent.ts";
import type { GuardCall, GuardPayload } from "../contract/payload.ts";
import { pathSubjects } from "../subjects/path-subjects.ts";
import { resolveRealPath } from "../subjects/real-path.ts";
import { AGENT_FOLDER_NAMES, FILE_VARIABLES, listVariableFolders } from "./agent-paths.ts";
import { describeHiddenChange } from "./hidden-changes.ts";
import { describeProtectedCommand } from "./protected-commands.ts";
import { describeProtectedPath, type ProtectedPaths, describeSecretPath } from "./protected-paths.ts";

/**
 * Contains the policy and facts about the machine.
 *
 * @example
 * ```ts
 * import { getAgent, guardTools, type JudgeContext } from "@haft/guard";
 * import { createPolicy } from "@haft/policy";
 * const context: JudgeContext = {
 *   policy: createPolicy({ deny: ["write"] }, { tools: guardTools(getAgent("claude")), partial: true }),
 *   protectedPaths: { home: "/home/me", haftPaths: [], env: process.env },
 *   root: "/srv/project",
 *   env: process.env,
 * };
 * ```
 */
export interface JudgeContext {
  /** Contains the policy, created with the option `partial` for the {@link guardTools} of the agent. */
  policy: Policy;
  /** Lists paths that no agent may change. */
  protectedPaths: ProtectedPaths;
  /** Names the folder of the project, for relative rules: absolute, with resolved links. */
  root: string;
  /** Contains the environment of the hook. */
  env: Readonly<Record<string, string | undefined>>;
  /** Returns whether an MCP server is Haft, which decides itself. */
  isHaftServer?: (server: string) => boolean;
  /** Returns whether git or a git hook runs the file. The guard asks about its changes, unless the policy denies them. */
  isStartedByGit?: (path: string) => Promise<boolean>;
}

/**
 * Contains one action and the decision about it.
 *
 * @example
 * ```ts
 * import { getEffect, type JudgedCall } from "@haft/guard";
 * const format = (judged: JudgedCall) => `${judged.tool.name}: ${getEffect(judged)} ${judged.decision?.reason ?? ""}`;
 * ```
 */
export interface JudgedCall {
  /** Contains the action. */
  call: GuardCall;
  /** Describes the tool that the action counts as. */
  tool: ToolFacts;
  /** Contains files, hosts and commands; `undefined` if unknown. */
  subjects: CallSubjects | undefined;
  /** Contains the decision. Absent if {@link JudgedCall.violation} denies the action. */
  decision?: Decision;
  /** Describes the protected file, as the end of a sentence. */
  violation?: string;
}

/**
 * Contains decisions about all actions. The strictest one decides.
 *
 * @example
 * ```ts
 * import type { Judgement } from "@haft/guard";
 * const explain = ({ effect, decisiveCall }: Judgement) => `${effect}: ${decisiveCall?.decision?.reason ?? ""}`;
 * ```
 */
export interface Judgement {
  /** Contains the strictest effect. */
  effect: "allow" | "ask" | "deny";
  /** Contains the action with this effect, if any. */
  decisiveCall: JudgedCall | undefined;
  /** Contains all actions. */
  judged: readonly JudgedCall[];
}

/**
 * Returns the tools for a policy about an agent: corresponding tools of Haft, and the agent's other tools.
 *
 * @example
 * ```ts run
 * import { getAgent, guardTools } from "@haft/guard";
 * guardTools(getAgent("claude")).some(({ name }) => name === "exec"); // => true
 * ```
 */
export function guardTools(agent: GuardAgent): ToolFacts[] {
  return [...Object.values(haftTools), ...clientFacts(agent).values()];
}

const byAgent = new Map<string, ReadonlyMap<string, ToolFacts>>();

function clientFacts(agent: GuardAgent): ReadonlyMap<string, ToolFacts> {
  let facts = byAgent.get(agent.id);
  if (!facts)
    byAgent.set(agent.id, (facts = new Map(clientToolFacts(agent).map((tool) => [tool.name, tool]))));
  return facts;
}

/**
 * Returns facts about the calling session. A subagent has the agent as its parent.
 *
 * @example
 * ```ts
 * import { type GuardPayload, sessionFacts } from "@haft/guard";
 * declare const payload: GuardPayload;
 * const { agentId, guarded } = sessionFacts(payload);
 * ```
 */
export function sessionFacts({ agent, model = "", subagent }: GuardPayload): SessionFacts {
  const facts: SessionFacts = { kind: "main", agentId: agent, model, messageChannel: "", guarded: true };
  return subagent === undefined ? facts : { ...facts, parent: facts };
}

export async function judge(
  agent: GuardAgent,
  payload: GuardPayload,
  context: JudgeContext,
): Promise<Judgement> {
  // This reading of the name is proven.
  if (
    payload.calls.some(
      (call) => call.kind === "mcp" && call.guessed !== true && context.isHaftServer?.(call.server),
    )
  )
    return { effect: "allow", decisiveCall: undefined, judged: [] };
  const session = context.policy.forSession(sessionFacts(payload));
  const judged: JudgedCall[] = [];
  for (const call of payload.calls) judged.push(await judgeCall(agent, call, session, context));
  const deciding = judged.reduce<JudgedCall | undefined>((strictest, each) => {
    return strictest === undefined || rank[getEffect(each)] > rank[getEffect(strictest)] ? each : strictest;
  }, undefined);
  return { effect: deciding === undefined ? "allow" : getEffect(deciding), decisiveCall: deciding, judged };
}

const rank = { allow: 0, ask: 1, deny: 2 };

/**
 * Returns the effect of a decision. Without a decision it is `deny`.
 *
 * @example
 * ```ts
 * import { getEffect, type GuardDecision } from "@haft/guard";
 * declare const decided: GuardDecision;
 * const denied = decided.judgement?.judged.filter((each) => getEffect(each) === "deny");
 * ```
 */
export function getEffect({ decision, violation }: JudgedCall): Judgement["effect"] {
  return violation === undefined ? (decision?.effect ?? "deny") : "deny";
}

async function judgeCall(
  agent: GuardAgent,
  call: GuardCall,
  session: SessionPolicy,
  context: JudgeContext,
): Promise<JudgedCall> {
  const inspected = await inspectCall(agent, call, session, context);
  const { tool, subjects, args, violation } = inspected;
  if (violation !== undefined) return { call, tool, subjects, violation };
  const decision = session.call(tool, args, subjects);
  const why = decision.effect === "allow" ? await whyAsk(inspected, context) : undefined;
  return { call, tool, subjects, decision: why === undefined ? decision : askAbout(decision, why) };
}

async function whyAsk(
  { outline, written = [] }: InspectedCall,
  context: JudgeContext,
): Promise<{ reason: string; source: string } | undefined> {
  const { protectedPaths, root } = context;
  const started = await startedByGit(written, context);
  if (started !== undefined)
    return { reason: `Git or a git hook runs ${started}, for example at the next commit.`, source: "git" };
  const user = await findUserFile(written, protectedPaths.home);
  if (user !== undefined)
    return { reason: `Programs of your user start what ${user} contains or names.`, source: "guard" };
  if (outline === undefined) return undefined;
  const reason = await describeHiddenChange(outline, protectedPaths, root);
  return reason === undefined ? undefined : { reason, source: "guard" };
}

async function findUserFile(written: readonly string[], home: string): Promise<string | undefined> {
  const near = written.filter((path) => path.startsWith(`${home}/`) || path.startsWith("/etc/"));
  if (near.length === 0) return undefined;
  const { isUserProgramFile } = await import("./user-program-files.ts");
  return near.find((path) => isUserProgramFile(path, home) || isUserProgramFile(resolveRealPath(path), home));
}

async function startedByGit(
  written: readonly string[],
  { isStartedByGit }: JudgeContext,
): Promise<string | undefined> {
  for (const path of written) if ((await isStartedByGit?.(path)) === true) return path;
  return undefined;
}

/** Like the file tools of Haft, asks even if the rules allow the call. */
function askAbout(decision: Decision, { reason, source }: { reason: string; source: string }): Decision {
  return {
    effect: "ask",
    id: decision.id,
    reason,
    get trace() {
      return [...decision.trace, { layer: "consent", rule: reason, source, verdict: "ask" as const }];
    },
  };
}

interface InspectedCall {
  tool: ToolFacts;
  args: unknown;
  subjects: CallSubjects | undefined;
  violation?: string | undefined;
  written?: readonly string[] | undefined;
  outline?: CommandTemplate;
}

async function inspectCall(
  agent: GuardAgent,
  call: GuardCall,
  session: SessionPolicy,
  context: JudgeContext,
): Promise<InspectedCall> {
  const { root, protectedPaths, env } = context;
  switch (call.kind) {
    case "command": {
      const args = { command: call.text, cwd: call.cwd };
      const tool = haftTools.exec;
      // Parsing is the slowest step.
      const isLookedAt = session.needsSubjects?.(tool) ?? true;
      if (!isLookedAt && !mayNameProtected(call, protectedPaths)) return { tool, args, subjects: undefined };
      const { commandSubject } = await import("../subjects/command-subject.ts");
      const typesUnseen = agent.hasUnreviewedStdin === true;
      const { subject, outline } = await commandSubject(call, { env, root, hasUnreviewedStdin: typesUnseen });
      return {
        tool,
        args,
        subjects: { command: subject },
        violation: describeProtectedCommand(outline, protectedPaths),
        written: writesOf(outline),
        outline,
      };
    }
    case "files": {
      const { tool: name, recursive } = call;
      const paths = call.paths.map((path) => resolveHome(path, env["HOME"] ?? protectedPaths.home));
      const tool = haftTools[name];
      const access = tool.effects.includes("write") ? "write" : "read";
      const known = paths.length === 0 ? undefined : pathSubjects(paths, access, root, recursive);
      const violation = known
        ?.map(({ path }) =>
          access === "write"
            ? describeProtectedPath(path, protectedPaths)
            : describeSecretPath(path, protectedPaths, recursive),
        )
        .find((each) => each !== undefined);
      const written = access === "write" ? known?.map(({ path }) => path) : undefined;
      return { tool, args: undefined, subjects: known && { paths: known }, violation, written };
    }
    case "fetch": {
      const hosts = parseHosts(call.urls);
      return { tool: haftTools.web_fetch, args: undefined, subjects: hosts && { hosts } };
    }
    case "mcp":
      return { tool: mcpFacts(call.server, call.tool), args: call.args, subjects: undefined };
    case "client": {
      const tool = clientFacts(agent).get(call.name) ?? unknownFacts(agent.id, call.name);
      return { tool, args: call.args, subjects: {} };
    }
    case "unknown":
      return { tool: unknownFacts(agent.id, call.name), args: call.args, subjects: undefined };
  }
}

function writesOf({ files }: CommandTemplate): string[] {
  return files.filter(({ access }) => access === "write").map(({ path }) => path);
}

const NAMES =
  /haft|approvals\W|\b(?:npm|pnpm|yarn|bun|npm-cli)\b|\.gitconfig|guard\W+(?:un)?install|inspect\W|\/proc\/|guard-hook|\.claude\.json|\.(?:mcp|lsp)\.json|\.github|\.vscode|\.agents|\.clinerules|opencode|\/etc(?:\W|$)|claudecode|application support|\.config|node_modules\W|\.(?:bash|z|k|t?c)sh|\.bash|\.(?:profile|zprofile|zlog|login|logout|inputrc|env|npmrc|bunfig|pam_env|x(?:profile|session|init|server)|gnomerc|tmux|screenrc|ssh|direnv|local)|environment|crontab|launch|setx|hooks?(?:\W|$)|\.husky|lefthook|\.git\//i;
const FOLDERS = new RegExp(
  String.raw`(?:${AGENT_FOLDER_NAMES.join("|").replaceAll(".", String.raw`\.`)})(?:\W|$)`,
  "i",
);
const GIT = /\bgit\b/;
const GIT_CHANGES =
  /\b(?:clean|stash|checkout|restore|reset|switch|rm|mv|worktree|read-tree|sparse-checkout)\b/;
/** These change their own settings. */
const AGENTS = /\b(?:agent|claude|codex|gemini|copilot|cursor|pi|openclaw)\b|-(?:mcp|extension)\b/;
const TAKES =
  /(?:^|[^\w.-])(?:rm|mv|rmdir|unlink|shred|ln|chmod|chown|trash|srm|fd|fdfind|rsync|scp|zip|7z\w*|pax|ditto|restic|borg|xargs|find|cp(?=\s+-)|tar|unzip|cpio)(?![\w-])/;
/** The shell completes a part of the name. */
const HIDDEN = /\.[\w-]*[*?[{]|[*?\]}]\w*(?:aude|odex|mini|rsor|pilot|code|haft|claw)/i;

/** With a redirect, these can lead to files of the user. */
const AWAY = /~|HOME|\.\.\/|\bcd\b/;

/** If true, the line is parsed. */
function mayNameProtected(
  { text, cwd }: { text: string; cwd: string },
  { home, haftPaths, programs = [], env }: ProtectedPaths,
): boolean {
  const plain = `${text.replaceAll(/["'\\]/g, "")}\n${cwd}`;
  if (text.includes(">") && (cwd === home || text.includes(home) || AWAY.test(plain))) return true;
  if (GIT.test(plain) && GIT_CHANGES.test(plain)) return true;
  if ([NAMES, FOLDERS, AGENTS, TAKES, HIDDEN].some((pattern) => pattern.test(plain))) return true;
  if (programs.some((path) => plain.includes(dirname(path)))) return true;
  const named = [
    ...listVariableFolders(env).map(({ at }) => at),
    ...FILE_VARIABLES.map((name) => env[name] ?? ""),
  ];
  const folded = plain.toLowerCase();
  return [...haftPaths, ...named].some(
    (path) => path !== "" && folded.includes(basename(path).toLowerCase()),
  );
}
