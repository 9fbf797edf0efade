import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startScriptedModel } from "../scripted-model/scripted-model.ts";
import { run } from "../workspace.ts";
import type { GuardCase } from "./guard-case.ts";
import { guardScript, SUBAGENT_PROMPT, PROMPT, type ReceivedResults } from "./guard-script.ts";
import { guardStage, LIMIT_MS } from "./guard-stage.ts";
import type { GuardedClient, GuardedTool } from "./guarded-client.ts";
import { runCompanion } from "./run-companion.ts";

/** A client's results in one case. */
export interface GuardPlay {
  received: ReceivedResults;
  output: string;
  /** The project's files afterwards. */
  files: Readonly<Record<string, string>>;
  /** Starts by the line in its settings; a module has none. */
  starts: number;
  /** Decisions in the guard's audit log. */
  decisions: number;
  /** Differences after `haft guard uninstall`. */
  leftovers: string[];
  folder: string;
}

/**
 * Installs the guard, lets a client's scripted model try its tools, and uninstalls the guard.
 *
 * @param installed the client's folder
 */
export async function playGuard(
  client: GuardedClient,
  guardCase: GuardCase,
  { installed, only }: { installed: string; only?: readonly GuardedTool[] },
): Promise<GuardPlay> {
  using stage = guardStage(client, installed);
  const { folder, project, settings, settingsText, haft } = stage;
  const answer = async () => {
    const { requests } = JSON.parse(await haft("approvals", "--json")) as {
      requests: { approvalId: string }[];
    };
    for (const { approvalId } of requests) await haft("approvals", "answer", approvalId, "allow-once");
  };
  const place = { project, file: join(project, "marked.txt"), prompt: SUBAGENT_PROMPT };
  const { script, collectResults } = guardScript(client, place, {
    expected: guardCase.expected,
    answer,
    ...(only && { only }),
  });
  await using model = await startScriptedModel(script);
  const env = stage.connectModel(model.url);
  const bin = join(installed, "node_modules/.bin", client.client.bin);
  const before = settingsText();
  const leftBehind: string[] = [];
  const { policy: rules, policyBreaks, program } = guardCase;
  if (rules !== undefined) {
    writeFileSync(stage.policy, rules);
    await haft("guard", "install", client.client.name);
    if (client.enables !== undefined)
      await run(bin, client.enables, { cwd: project, env, limitMs: LIMIT_MS });
    if (policyBreaks !== undefined) writeFileSync(stage.policy, policyBreaks);
  }
  const text = settingsText();
  if (program !== undefined) writeFileSync(settings, withProgram(text!, program, folder));

  const [first = "", ...rest] = client.client.headless(PROMPT);
  const args = first === "exec" ? [first, ...client.free, ...rest] : [...client.free, first, ...rest];
  await using beside = new AsyncDisposableStack();
  if (client.companion !== undefined)
    beside.use(await runCompanion(bin, client.companion, { cwd: project, env }));
  // Some clients fail after a denial, so only files and results count.
  const output = await run(bin, args, { cwd: project, env, limitMs: LIMIT_MS }).catch(String);

  // Without a person at a terminal, it must have ended.
  await beside.disposeAsync();
  if (rules !== undefined) {
    if (program !== undefined) writeFileSync(settings, text!);
    await haft("guard", "uninstall", client.client.name);
    if (settingsText() !== before) leftBehind.push(`${client.settings} is not as it was`);
  }
  const files = filesOf(project);
  return {
    received: collectResults(model.requests),
    output,
    files,
    ...stage.counts(),
    leftovers: leftBehind,
    folder,
  };
}

/** The settings start another program with a limit of one second. */
function withProgram(text: string, program: string, folder: string): string {
  const file = join(folder, "guard-hook.js");
  if (program !== "") writeFileSync(file, program);
  return text
    .replace(/[^\s"']+guard-hook\.c?[jt]s/, file)
    .replace("-k 1 9", "-k 1 1")
    .replace("9000", "1000");
}

function filesOf(project: string): Record<string, string> {
  const all = readdirSync(project, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  return Object.fromEntries(
    all.map((file) => [file.slice(project.length + 1), readFileSync(file, "latin1")]),
  );
}
