import { membersOf } from "../calls/fields.ts";
import type { GuardQuestion } from "../contract/approvals.ts";
import type { GuardPayload } from "../contract/payload.ts";
import type { Judgement } from "./judge.ts";

/** What a model words differently each time, and what changes nothing about the call. */
const VOLATILE = new Set(["description", "explanation", "justification", "timeout", "run_in_background"]);

/** The question that a person answers elsewhere, about everything a payload would do. */
export function questionOf(payload: GuardPayload, { deciding, judged }: Judgement): GuardQuestion {
  const { toolName, toolInput, cwd, agent } = payload;
  const { id, name, effects } = deciding!.tool;
  const programs = judged.flatMap(({ subjects }) => subjects?.command?.commands ?? []);
  const paths = judged.flatMap(({ subjects }) => subjects?.paths ?? []);
  return {
    payload,
    tool: { id, name, effects },
    reason: deciding?.decision?.reason ?? "",
    preview: shownOf(payload),
    parts: {
      agent,
      tool: toolName,
      folder: cwd,
      arguments: canonical(withoutVolatile(toolInput)),
      programs: canonical(programs.map(({ name: word, path = "" }) => [word, path])),
      paths: canonical(paths.map(({ path, access }) => [access, path])),
    },
  };
}

/** All of a payload, as a person sees it who is asked. */
export function shownOf({ agent, toolName, toolInput, cwd }: GuardPayload): string {
  const { command } = membersOf(toolInput);
  const isLine =
    typeof command === "string" && Object.keys(withoutVolatile(toolInput) as object).length === 1;
  const what = isLine ? command : JSON.stringify(toolInput, undefined, 2);
  return `${agent} calls ${toolName} in ${cwd}\n${what}`;
}

function withoutVolatile(input: unknown): unknown {
  if (membersOf(input) !== input) return input;
  return Object.fromEntries(Object.entries(input).filter(([key]) => !VOLATILE.has(key)));
}

/** The same text for the same value, in whatever order its keys came. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    return membersOf(inner) === inner
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner;
  });
}
