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

/** What a person asks for. */
export const PROMPT = "Do the task.";
/** What a subagent is told to do; nothing else says that. */
export const SUBAGENT_PROMPT = "Do the part of it that is yours.";

/** One call of the main model. */
interface Step {
  tool: GuardedTool;
  /** `undefined`: nothing is called. */
  call: (told: readonly ToolResult[]) => ScriptedCall | undefined;
  /** `judged`: what the case is about. For what comes before, clients ask no hook: it only looks for a tool. */
  role: "before" | "judged" | "after";
  /** Before it, a person answers what waits. */
  answers?: true;
}

/** What the model was told of each call that the case is about. */
export interface ReceivedResults {
  /** One for each time that it was called. */
  main: Readonly<Partial<Record<GuardedTool, readonly ToolResult[]>>>;
  /** Of the command that the subagent ran. */
  sub: readonly ToolResult[];
  /** Calls of both for which the client asks its hook. */
  calls: number;
}

/** A script for one client, and what became of its calls. */
export interface GuardScript {
  script: Script;
  collectResults: (requests: readonly ModelRequest[]) => ReceivedResults;
}

/**
 * The model calls one tool after the other; where a person has to be asked, each three times, of which the second comes after the
 * answer.
 *
 * @param answer answers what waits, as a person in another terminal
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
  // A call by which a subagent says that it has ended, where it has one: nothing comes back.
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
  // What a subagent does is asked about, and not that there is one.
  const again = { ...judged, answers: true as const };
  // An edit cannot be made a second time: some clients say so before they ask anybody.
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

/** Goes through the steps by what came back so far. */
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
