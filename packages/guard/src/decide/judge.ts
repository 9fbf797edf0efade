import type { CommandTemplate } from "@haft/commands";
import type { CallSubjects, Decision, Policy, SessionFacts, SessionPolicy, ToolFacts } from "@haft/core";
import { basename, dirname } from "node:path";
import { parseHosts } from "../calls/find-urls.ts";
import { clientToolFacts, haftTools, mcpFacts, unknownFacts } from "../calls/tool-facts.ts";
import type { GuardAgent } from "../contract/agent.ts";
import type { GuardCall, GuardPayload } from "../contract/payload.ts";
import { pathSubjects } from "../subjects/path-subjects.ts";
import { AGENT_FOLDER_NAMES, FILE_VARIABLES, listVariableFolders } from "./agent-paths.ts";
import { describeProtectedCommand } from "./protected-commands.ts";
import { describeProtectedPath, type ProtectedPaths, describeSecretPath } from "./protected-paths.ts";

/** What calls are judged by. */
export interface JudgeContext {
  /** Made for {@link guardTools} of the agent, with `partial`. */
  policy: Policy;
  /** What is nobody's to change through an agent. */
  protectedPaths: ProtectedPaths;
  /** The project's folder, where rules for relative paths begin: absolute, links resolved. */
  root: string;
  /** Of the hook's process. */
  env: Readonly<Record<string, string | undefined>>;
  /** Whether a server that the agent has mounted is proven to be Haft's own, which decides about its calls itself. */
  isHaftServer?: (server: string) => boolean;
  /** Whether git or one of its hooks runs the file at an absolute path. A change of it is asked about, unless it is denied. */
  isStartedByGit?: (path: string) => Promise<boolean>;
}

/** One of the calls that make up a payload, decided. */
export interface JudgedCall {
  /** As rules know it. */
  call: GuardCall;
  /** The tool it counts as. */
  tool: ToolFacts;
  /** What it is about; absent where that is not known. */
  subjects: CallSubjects | undefined;
  /** Absent where no rule was asked: {@link JudgedCall.violation} says why. */
  decision?: Decision;
  /** What it would change or read that is nobody's to through an agent: the end of a sentence. */
  violation?: string;
}

/** All of a payload, decided: the strictest counts. */
export interface Judgement {
  /** The strictest of all its calls. */
  effect: "allow" | "ask" | "deny";
  /** The call that decided; absent where there is none. */
  decisiveCall: JudgedCall | undefined;
  /** Each of its calls, with what was decided about it. */
  judged: readonly JudgedCall[];
}

/** The tools that policies of an agent's calls are made for. */
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

/** Who calls, for rules. */
export function sessionFacts({ agent, model = "", subagent }: GuardPayload): SessionFacts {
  const facts: SessionFacts = { kind: "main", agentId: agent, model, messageChannel: "", guarded: true };
  return subagent === undefined ? facts : { ...facts, parent: facts };
}

/** Decides about all that a payload is about. Runs nothing, and changes nothing. */
export async function judge(
  agent: GuardAgent,
  payload: GuardPayload,
  context: JudgeContext,
): Promise<Judgement> {
  // Its server decides. What else such a name could mean is not looked at, since it is proven what it means.
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

/** What becomes of one of the calls. */
export function getEffect({ decision, violation }: JudgedCall): Judgement["effect"] {
  return violation === undefined ? (decision?.effect ?? "deny") : "deny";
}

async function judgeCall(
  agent: GuardAgent,
  call: GuardCall,
  session: SessionPolicy,
  context: JudgeContext,
): Promise<JudgedCall> {
  const { tool, subjects, args, own, written } = await look(agent, call, session, context);
  if (own !== undefined) return { call, tool, subjects, violation: own };
  const decision = session.call(tool, args, subjects);
  const started = decision.effect === "allow" ? await startedByGit(written ?? [], context) : undefined;
  return { call, tool, subjects, decision: started === undefined ? decision : asked(decision, started) };
}

/** The first of the written files that git runs. */
async function startedByGit(
  written: readonly string[],
  { isStartedByGit }: JudgeContext,
): Promise<string | undefined> {
  for (const path of written) if ((await isStartedByGit?.(path)) === true) return path;
  return undefined;
}

/** As for the file tools of Haft: a person decides, whatever the rules let through. */
function asked(decision: Decision, path: string): Decision {
  const reason = `${path} is run by git or by one of its hooks, for example at the next commit.`;
  return {
    effect: "ask",
    id: decision.id,
    reason,
    get trace() {
      return [...decision.trace, { layer: "consent", rule: reason, source: "git", verdict: "ask" as const }];
    },
  };
}

interface Looked {
  tool: ToolFacts;
  args: unknown;
  subjects: CallSubjects | undefined;
  own?: string | undefined;
  written?: readonly string[] | undefined;
}

async function look(
  agent: GuardAgent,
  call: GuardCall,
  session: SessionPolicy,
  context: JudgeContext,
): Promise<Looked> {
  const { root, protectedPaths, env } = context;
  switch (call.kind) {
    case "command": {
      const args = { command: call.text, cwd: call.cwd };
      const tool = haftTools.exec;
      // Taking a line apart takes longer than all else: only where somebody looks at it.
      const isLookedAt = session.needsSubjects?.(tool) ?? true;
      if (!isLookedAt && !mayNameOwn(call, protectedPaths)) return { tool, args, subjects: undefined };
      const { commandSubject } = await import("../subjects/command-subject.ts");
      const typesUnseen = agent.hasUnreviewedStdin === true;
      const { subject, outline } = await commandSubject(call, { env, root, hasUnreviewedStdin: typesUnseen });
      return {
        tool,
        args,
        subjects: { command: subject },
        own: describeProtectedCommand(outline, protectedPaths),
        written: writesOf(outline),
      };
    }
    case "files": {
      const { tool: name, paths, recursive } = call;
      const tool = haftTools[name];
      const access = tool.effects.includes("write") ? "write" : "read";
      const known = paths.length === 0 ? undefined : pathSubjects(paths, access, root, recursive);
      const own = known
        ?.map(({ path }) =>
          access === "write"
            ? describeProtectedPath(path, protectedPaths)
            : describeSecretPath(path, protectedPaths, recursive),
        )
        .find((each) => each !== undefined);
      const written = access === "write" ? known?.map(({ path }) => path) : undefined;
      return { tool, args: undefined, subjects: known && { paths: known }, own, written };
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

/** Parts of names that nobody else has a use for; a name in quotes is the same name. */
const NAMES =
  /haft|approvals\W|guard\W+(?:un)?install|inspect\W|\/proc\/|guard-hook|\.claude\.json|\.(?:mcp|lsp)\.json|\.github|\.vscode|\.agents|\.clinerules|opencode|\/etc(?:\W|$)|claudecode|application support|\.config|node_modules\W|\.(?:bash|z|k|t?c)sh|\.bash|\.(?:profile|zprofile|zlog|login|logout|inputrc|env|npmrc|bunfig|pam_env|x(?:profile|session|init|server)|gnomerc|tmux|screenrc|ssh|direnv|local)|environment|crontab|launch|setx|hooks?(?:\W|$)|\.husky|lefthook|\.git\//i;
const FOLDERS = new RegExp(
  String.raw`(?:${AGENT_FOLDER_NAMES.join("|").replaceAll(".", String.raw`\.`)})(?:\W|$)`,
  "i",
);
/** Agents, whose own commands change what they start. */
const AGENTS = /\b(?:agent|claude|codex|gemini|copilot|cursor|pi|openclaw)\b|-(?:mcp|extension)\b/;
/** What takes a folder with all that is in it, or fills one, by whatever name. */
const TAKES =
  /(?:^|[^\w.-])(?:rm|mv|rmdir|unlink|shred|trash|ln|chmod|chown|rsync|scp|zip|7z\w*|pax|ditto|restic|borg|xargs|find|cp(?=\s+-)|tar|unzip|cpio)(?![\w-])/;
/** A name of which a part is left to the shell. */
const HIDDEN = /\.[\w-]*[*?[{]|[*?\]}]\w*(?:aude|odex|mini|rsor|pilot|code|haft|claw)/i;

/**
 * Whether a command line could be about what is nobody's to change, going by its text. Where it could, it is taken apart; this alone
 * decides nothing.
 */
function mayNameOwn(
  { text, cwd }: { text: string; cwd: string },
  { haftPaths, programs = [], env }: ProtectedPaths,
): boolean {
  const plain = `${text.replaceAll(/["'\\]/g, "")}\n${cwd}`;
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
