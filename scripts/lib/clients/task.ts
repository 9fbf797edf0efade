import type { ModelRequest, Script, ScriptedCall } from "../scripted-model/script.ts";
import { scriptTurns } from "../scripted-model/script.ts";
import type { Client } from "./client.ts";

/** A call of the task, and the expected part of the next request. */
interface Step {
  what: string;
  call: (client: Client, folder: string) => ScriptedCall;
  /** Matches the model's text. */
  wanted: RegExp | ((result: { text: string; images: number }, client: Client) => boolean);
}

export const POLICY = {
  deny: ["group:fs(path:secret/**)"],
  ask: ["write(path:docs/**)"],
  exec: { preset: "contained" },
};

/** Maximum characters of a result. */
const LONGEST = 60_000;

const haft =
  (tool: string, args: Record<string, unknown>): Step["call"] =>
  (client) => ({ ...client.toToolCall(tool), arguments: args });

export const APPROVED = { path: "docs/plan.md", content: "# Plan\n" };

const STEPS: readonly Step[] = [
  {
    what: "write",
    call: haft("write", { path: "notes/plan.txt", content: "one\ntwo\n" }),
    wanted: /notes\/plan\.txt/,
  },
  {
    what: "edit",
    call: haft("edit", { path: "notes/plan.txt", oldText: "two", newText: "three" }),
    wanted: /edited notes\/plan\.txt/,
  },
  { what: "read back", call: haft("read", { path: "notes/plan.txt" }), wanted: /one\n(.*)three/ },
  {
    what: "exec",
    call: haft("exec", { command: "wc -l < notes/plan.txt; echo done >&2" }),
    wanted: /2\n(?:.*\n)*.*done/,
  },
  { what: "denied", call: haft("read", { path: "secret/key.txt" }), wanted: /secret\/\*\*/ },
  { what: "needs approval", call: haft("write", APPROVED), wanted: /approv/i },
  {
    what: "image",
    call: haft("read", { path: "dot.png" }),
    wanted: ({ images }, client) => images === (client.images ? 1 : 0),
  },
  {
    what: "long output",
    call: haft("exec", { command: "seq 100000" }),
    wanted: ({ text }, { cuts }) =>
      text.length <= LONGEST && (cuts === undefined ? text.includes("\n100000\n") : cuts.test(text)),
  },
  {
    what: "a tool of its own",
    call: (client, folder) => client.builtInWrite(`${folder}/own.txt`),
    wanted: () => true,
  },
];

/** Ordered steps; a model without Haft's tools first searches for them. */
export function listSteps({ search }: Client): readonly Step[] {
  if (search === undefined) return STEPS;
  const wanted: Step["wanted"] = ({ text }, { toToolCall }) =>
    text.includes(`"name":"${toToolCall("write").name}"`);
  return [{ what: "tool search", call: () => search, wanted }, ...STEPS];
}

export const LAST_WORDS = "All of it is done.";

/** One call per turn, then text. */
export function taskScript(client: Client, folder: string): Script {
  const calls = listSteps(client).map(({ call }) => ({ calls: [call(client, folder)] }));
  return scriptTurns([...calls, { text: LAST_WORDS }]);
}

/** Repeats the call that needed approval. */
export function retryScript(client: Client): Script {
  const call = { ...client.toToolCall("write"), arguments: APPROVED };
  return scriptTurns([{ calls: [call] }, { text: LAST_WORDS }]);
}

export function lastRequest(requests: readonly ModelRequest[]): ModelRequest {
  const last = requests.findLast(({ tools }) => tools.length > 0);
  if (last === undefined) throw new Error("The model was never asked with tools.");
  return last;
}
