import type { ToolResult } from "../scripted-model/script.ts";
import type { CaseName, Expected, GuardCase } from "./guard-case.ts";
import { AFTER, BEFORE, GUARDED_TOOLS, type GuardedClient, type GuardedTool } from "./guarded-client.ts";
import type { Answer } from "./play-attended.ts";
import type { GuardPlay } from "./play-guard.ts";

/** The observations of one client in one case. */
export interface GuardCheck {
  problems: string[];
  /** The outcome of each tried tool. */
  observed: Partial<Record<GuardedTool, string>>;
}

const SEEN: Readonly<Record<Expected, string>> = {
  runs: "ran",
  denied: "denied",
  asked: "asked",
  blocked: "blocked",
};

/** Checks files, the model's results, and the number of hook starts. */
export function checkGuarded(
  client: GuardedClient,
  guardCase: GuardCase,
  { play, only = GUARDED_TOOLS }: { play: GuardPlay; only?: readonly GuardedTool[] },
): GuardCheck {
  const { expected, policy, program } = guardCase;
  const { received, starts, decisions } = play;
  const problems = [...play.leftovers];
  const seen: GuardCheck["observed"] = {};
  for (const tool of only) {
    if (typeof client.tools[tool] === "string") continue;
    const all = toldOf(tool, expected, play);
    const wrong = wrongWith(tool, expected, {
      play,
      all,
      hides: client.hidesFailures === true && program !== undefined,
    });
    if (wrong === undefined) seen[tool] = SEEN[expected];
    else
      problems.push(
        `${tool}: ${wrong}; the model was told ${all.map((each) => shown(each)).join(" | ") || "nothing"}`,
      );
  }
  const count = (what: string, found: number, wanted: number) => {
    if (found !== wanted) problems.push(`${what}: ${found} for ${wanted} calls that its model made`);
  };
  // A module starts the program without the counting line.
  if (client.isModule !== true)
    count("starts of the hook", starts, policy === undefined ? 0 : received.calls);
  count(
    "decisions in the audit log",
    decisions,
    policy === undefined || expected === "blocked" ? 0 : received.calls,
  );
  if (problems.length > 0) problems.push(`it said: ${play.output.slice(-600)}`);
  return { problems, observed: seen };
}

/** Lists differences caused by the guard. */
export function differences(without: GuardPlay, withIt: GuardPlay): string[] {
  const [a, b] = [without, withIt].map(({ received, files, folder }) =>
    JSON.stringify([received.main, received.sub, files], (key, value: unknown) =>
      key === "callId" ? undefined : typeof value === "string" ? plain(value, folder) : value,
    ),
  );
  return a === b ? [] : [`not as without the guard:\n${a}\n${b}`];
}

/** Removes ids, times and paths, which differ between runs. */
function plain(text: string, folder: string): string {
  return text
    .replaceAll(folder, "~")
    .replaceAll(/\b(?=\w*\d)[\w-]{6,}\b/g, "#")
    .replaceAll(/"nickname":"[^"]*"/g, "")
    .replaceAll(/\d+(?:\.\d+)?/g, "0");
}

/** The model's result, or for a subagent's command the subagent's result, if any. */
function toldOf(tool: GuardedTool, expected: Expected, { received }: GuardPlay): readonly ToolResult[] {
  return tool === "subagent" && expected !== "blocked" ? received.sub : (received.main[tool] ?? []);
}

function wrongWith(
  tool: GuardedTool,
  expected: Expected,
  { play, all, hides }: { play: GuardPlay; all: readonly ToolResult[]; hides: boolean },
): string | undefined {
  const ran = didRun(tool, play);
  const [first] = all;
  if (first === undefined) return "it was never called";
  const isHeld = expected === "denied" || expected === "blocked";
  if (ran === isHeld) return ran ? "it ran" : "it did not run";
  if (expected === "denied" && !first.text.includes("policy.yaml:1")) return "the rule is not named";
  if (expected === "blocked" && !hides && !/haft guard|Haft denies/.test(first.text))
    return "it was not told that the guard could not decide";
  if (expected !== "asked") return undefined;
  const ids = all.map(({ text }) => /haft approvals answer (\w+) allow-once/.exec(text)?.[1]);
  if (ids[0] === undefined) return "no approval is named";
  if (ids[1] !== undefined) return "it was asked about again although a person had answered";
  // An edit cannot repeat, so it was not tried.
  if (tool !== "edit" && (ids[2] === undefined || ids[2] === ids[0]))
    return "the answer held for more than one call";
  return undefined;
}

function didRun(tool: GuardedTool, { received, files }: GuardPlay): boolean {
  switch (tool) {
    case "read":
      return (received.main.read ?? []).some(({ text, images }) => text.includes(BEFORE) || images > 0);
    case "shell":
      return files["shell.txt"] !== undefined;
    case "edit":
      return files["marked.txt"]?.trim() === AFTER;
    case "mcp":
      return files["mcp.txt"] !== undefined;
    case "subagent":
      return files["sub.txt"] !== undefined;
  }
}

function shown({ text, images }: ToolResult): string {
  return `${text.slice(0, 300)}${images > 0 ? " [image]" : ""}`;
}

/** A table row with each tool's result and the number of hook decisions. */
export function formatRow(
  name: CaseName,
  { observed }: GuardCheck,
  { starts, decisions, received }: GuardPlay,
): string[] {
  return [
    name,
    ...GUARDED_TOOLS.map((tool) => observed[tool] ?? "–"),
    String(received.calls),
    String(starts),
    String(decisions),
  ];
}

/** A row for a command that a person decided in the client's own prompt. */
export function formatAnswerRow(answer: Answer): string[] {
  const seen = answer === "yes" ? "ran" : "denied";
  const cells = GUARDED_TOOLS.map((tool) => (tool === "shell" ? seen : "–"));
  return [`ask, at a terminal: ${answer}`, ...cells, "1", "–", "1"];
}
