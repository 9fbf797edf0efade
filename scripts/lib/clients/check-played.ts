import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolResult } from "../scripted-model/script.ts";
import type { Client, ClientRun, Played } from "./client.ts";
import { APPROVED, LAST_WORDS, lastRequest, listSteps } from "./task.ts";

/** Minimum tools of a user's session. */
const HAFT_TOOLS = ["read", "write", "edit", "apply_patch", "ls", "find", "grep", "exec", "process"];

/** The ledger's expected calls: the task, a refused call, a waiting call and its repetition. */
const IN_LEDGER =
  "write ok, edit ok, read ok, exec ok, read blocked, write pending, read ok, exec ok, write ok";

const SHOWN = 600;

interface Scene {
  client: Client;
  project: string;
  task: ClientRun;
  /** Approves the waiting call, and lets the client repeat it. */
  answer: () => Promise<ClientRun>;
  haft: (...args: string[]) => Promise<string>;
}

/** Checks the model's requests, the files and the ledger. */
export async function checkPlayed(scene: Scene, { problems, facts }: Played): Promise<void> {
  const { client, project, task, answer, haft } = scene;
  const expect = (holds: boolean, otherwise: string) => void (holds || problems.push(otherwise));
  const content = (path: string) =>
    existsSync(join(project, path)) ? readFileSync(join(project, path), "utf8") : undefined;

  expect(task.output.includes(LAST_WORDS), `its last words are not there:\n${task.output.slice(-1_500)}`);
  facts["output"] = task.output.slice(-1_500);
  const last = lastRequest(task.requests);
  const offered = last.tools.filter((tool) => client.isHaft(tool)).map(({ name }) => name);
  const missing = HAFT_TOOLS.filter((name) => !offered.includes(client.toToolCall(name).name));
  expect(missing.length === 0 || client.search !== undefined, `not offered: ${missing.join(", ")}`);
  facts["tools of Haft"] = missing.length === 0 ? "all offered" : "found by its tool search";
  const own = last.tools.filter((tool) => !client.isHaft(tool)).map(({ name }) => name);
  const kept = own.filter((name) => client.builtInTools.includes(name));
  expect(
    kept.every((name) => client.keeps?.[name] !== undefined),
    `still offered: ${kept.join(", ")}`,
  );
  facts["own tools left"] = own.join(", ");

  for (const [index, { what, wanted }] of listSteps(client).entries()) {
    const result = last.results[index];
    const fits =
      result !== undefined &&
      (typeof wanted === "function" ? wanted(result, client) : wanted.test(result.text));
    expect(fits, `${what}: the model was shown ${shown(result)}`);
    facts[what] = shown(result);
  }
  expect(content("notes/plan.txt") === "one\nthree\n", "notes/plan.txt is not as it was written and edited");
  expect(content("own.txt") === undefined, `${client.title} wrote own.txt with a tool of its own`);
  expect(content(APPROVED.path) === undefined, "what needs approval was written without one");

  const again = await answer();
  const [second] = lastRequest(again.requests).results;
  expect(
    content(APPROVED.path) === APPROVED.content,
    `approved and called again, it was not written; the model was shown ${shown(second)}`,
  );

  const calls = await callsInLedger(haft);
  facts["ledger"] = calls.join(", ");
  expect(calls.join(", ") === IN_LEDGER, `the ledger has ${calls.join(", ")}, not ${IN_LEDGER}`);
}

/** Returns calls with outcomes in order, without gaps, which a client causes by killing its servers. */
async function callsInLedger(haft: Scene["haft"]): Promise<string[]> {
  const { calls } = JSON.parse(await haft("ledger", "list", "--all", "--json", "--state", "state")) as {
    calls: { toolName: string; status: string; outcome?: string; createdAt: number }[];
  };
  return calls
    .filter(({ status }) => status !== "gap")
    .toSorted((a, b) => a.createdAt - b.createdAt)
    .map(({ toolName, status, outcome = status }) => `${toolName} ${outcome}`);
}

function shown(result: ToolResult | undefined): string {
  if (result === undefined) return "nothing";
  const { text, images, isError } = result;
  const mark = isError === true ? "error: " : "";
  const size = text.length > SHOWN ? ` (${text.length} characters)` : "";
  return `${mark}${text.slice(0, SHOWN)}${size}${images > 0 ? ` [${images} image]` : ""}`;
}
