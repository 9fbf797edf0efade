import {
  scriptTurns,
  type ModelRequest,
  type Script,
  type ScriptedCall,
  type ToolResult,
} from "../scripted-model/script.ts";
import type { Expected } from "./guard-case.ts";
import {
  GUARDED_TOOLS,
  type GuardedClient,
  type GuardedTool,
  type ToolTrial,
  type TrialPaths,
} from "./guarded-client.ts";

export const PROMPT = "Do the task.";
/** Only a subagent receives this prompt. */
export const SUBAGENT_PROMPT = "Do the part of it that is yours.";

/** A main model's call. */
interface Step {
  tool: GuardedTool;
  /** `undefined` calls nothing. */
  call: (told: readonly ToolResult[]) => ScriptedCall | undefined;
  /** `judged`: the case's subject. `before`: only searches for a tool, without a hook. */
  role: "before" | "judged" | "after";
  /** A person first answers waiting calls. */
  answers?: true;
}

/** The model's results of each judged call. */
export interface ReceivedResults {
  /** One result per call. */
  main: Readonly<Partial<Record<GuardedTool, readonly ToolResult[]>>>;
  /** Results of the subagent's command. */
  sub: readonly ToolResult[];
  /** Calls that should reach the hook, including the subagent's. */
  calls: number;
}

/** A client's script and its results. */
export interface GuardScript {
  script: Script;
  collectResults: (requests: readonly ModelRequest[]) => ReceivedResults;
}

/**
 * The model calls each tool once, or three times with approval, the second after the answer.
 *
 * @param answer answers waiting calls like a person in another terminal
 */
export function guardScript(
  client: GuardedClient,
  place: TrialPaths,
  {
    expected,
    only,
    answer,
  }: { expected: Expected; only?: readonly GuardedTool[]; answer: () => Promise<void> },
): GuardScript {
  const isAsked = expected === "asked";
  const steps = GUARDED_TOOLS.filter((tool) => only?.includes(tool) ?? true).flatMap((tool) => {
    const trial = client.tools[tool];
    return typeof trial === "string" ? [] : stepsOf(tool, trial, place, isAsked);
  });
  const subCall = client.shell("echo ran > sub.txt");
  // Some subagents report their end by a call without a result.
  let hasEnded = false;
  const answered = new Set<string>();
  const answerOnce = async (key: string) => {
    if (answered.has(key)) return;
    answered.add(key);
    await answer();
  };
  const ofSub = scriptTurns(
    isAsked ? [{ calls: [subCall] }, { calls: [subCall] }, { calls: [subCall] }] : [{ calls: [subCall] }],
  );
  return {
    async script(request) {
      if (request.tools.length === 0) return { text: "A task" };
      if (isOfSub(request)) {
        if (isAsked && request.results.length === 1) await answerOnce("sub");
        const turn = await ofSub(request);
        const ends = request.tools.find(({ name }) => name === "complete_task");
        if (turn.calls !== undefined || ends === undefined) return turn;
        hasEnded = true;
        return { calls: [{ name: ends.name, arguments: { result: { response: "Done." } } }] };
      }
      const next = walk(steps, request.results).next;
      if (next === undefined) return { text: "Done." };
      if (next.step.answers) await answerOnce(String(next.index));
      return { calls: [next.call] };
    },
    collectResults(requests) {
      const withTools = requests.filter(({ tools }) => tools.length > 0);
      const main = withTools.findLast((request) => !isOfSub(request));
      const sub = withTools.findLast((request) => isOfSub(request));
      const told: Partial<Record<GuardedTool, ToolResult[]>> = {};
      const { done } = walk(steps, main?.results ?? []);
      for (const { step, result } of done) if (step.role === "judged") (told[step.tool] ??= []).push(result);
      const subTold = (sub?.results ?? []).slice(0, isAsked ? 3 : 1);
      const asksTwice = expected === "blocked" ? [] : (client.asksTwice ?? []);
      const twice = asksTwice.flatMap((tool) => told[tool] ?? []).length;
      const ofMain = done.filter(({ step }) => step.role !== "before").length;
      return { main: told, sub: subTold, calls: ofMain + twice + subTold.length + (hasEnded ? 1 : 0) };
    },
  };
}

function stepsOf(tool: GuardedTool, trial: ToolTrial, place: TrialPaths, isAsked: boolean): Step[] {
  const { before, after } = trial;
  const judged: Step = { tool, call: () => trial.call(place), role: "judged" };
  // Approval applies to a subagent's calls, not to its start.
  const again = { ...judged, answers: true as const };
  // An edit cannot repeat: some clients reject it before the hook.
  const asked = tool === "edit" ? [judged, again] : [judged, again, judged];
  const times = isAsked && tool !== "subagent" ? asked : [judged];
  return [
    ...(before === undefined ? [] : [{ tool, call: () => before, role: "before" as const }]),
    ...times,
    ...(after === undefined
      ? []
      : [
          {
            tool,
            call: (told: readonly ToolResult[]) => after(told.at(-1)?.text ?? ""),
            role: "after" as const,
          },
        ]),
  ];
}

/** Selects the next step from the results. */
function walk(steps: readonly Step[], results: readonly ToolResult[]) {
  const done: { step: Step; result: ToolResult }[] = [];
  for (const [index, step] of steps.entries()) {
    const call = step.call(done.map(({ result }) => result));
    if (call === undefined) continue;
    const result = results[done.length];
    if (result === undefined) return { done, next: { step, index, call } };
    done.push({ step, result });
  }
  return { done, next: undefined };
}

function isOfSub({ body }: ModelRequest): boolean {
  const text = JSON.stringify(body);
  return text.includes(SUBAGENT_PROMPT) && !text.includes(PROMPT);
}
