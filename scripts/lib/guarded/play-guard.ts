import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { haftCommand } from "../../../test/support/build-under-test.ts";
import { addFiles } from "../clients/printed-config.ts";
import { startScriptedModel } from "../scripted-model/scripted-model.ts";
import { run } from "../workspace.ts";
import type { GuardCase } from "./guard-case.ts";
import { guardScript, PART, PROMPT, type ToldOf } from "./guard-script.ts";
import { BEFORE, type GuardedClient, type GuardedTool } from "./guarded-client.ts";

/** What came of a client in one case. */
export interface GuardPlay {
  told: ToldOf;
  /** What it printed. */
  output: string;
  /** The files of the project afterwards. */
  files: Readonly<Record<string, string>>;
  /** How often the line in its settings was started; a module starts none. */
  starts: number;
  /** How often the guard decided, by its audit log. */
  decisions: number;
  /** What is not as it was after `haft guard uninstall`. */
  leftBehind: string[];
  /** Where all of it was. */
  folder: string;
}

/** More than any of them takes on a busy machine. */
const LIMIT_MS = 240_000;
/** One dot. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/**
 * Installs the guard in a client's settings, has its scripted model try its tools, and takes the guard out again.
 *
 * @param installed the folder in which the client was installed
 */
export async function playGuard(
  client: GuardedClient,
  guardCase: GuardCase,
  { installed, only }: { installed: string; only?: readonly GuardedTool[] },
): Promise<GuardPlay> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `haft-guarded-${client.name}-`)));
  try {
    return await playIn(folder, client, guardCase, { installed, ...(only && { only }) });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function playIn(
  folder: string,
  client: GuardedClient,
  guardCase: GuardCase,
  { installed, only }: { installed: string; only?: readonly GuardedTool[] },
): Promise<GuardPlay> {
  const home = join(folder, "home");
  const project = join(folder, "project");
  const starts = join(folder, "starts.log");
  const audit = join(folder, "audit.jsonl");
  const policy = join(folder, "policy.yaml");
  mkdirSync(home);
  mkdirSync(join(project, ".git"), { recursive: true });
  writeFileSync(join(project, "marked.txt"), `${BEFORE}\n`);
  writeFileSync(join(project, "dot.png"), Buffer.from(PNG, "base64"));
  const config = join(folder, "haft.config.yaml");
  writeFileSync(config, `policy: ./policy.yaml\naudit: { file: ./audit.jsonl }\n`);
  countingTimeout(join(folder, "bin"), starts);
  const path = [join(installed, "node_modules/.bin"), dirname(process.execPath), "/usr/bin", "/bin"];
  const base = { HOME: home, LANG: "C.UTF-8", PATH: path.join(":"), TERM: "xterm", TMPDIR: tmpdir() };
  const person = { ...base, PATH: `${join(folder, "bin")}:${base.PATH}`, HAFT_CONFIG: config };
  const [node = "", ...command] = haftCommand;
  const haft = (...args: string[]) =>
    run(node, [...command, ...args], { cwd: folder, env: person, limitMs: LIMIT_MS });
  const answer = async () => {
    const { requests } = JSON.parse(await haft("approvals", "--json")) as {
      requests: { approvalId: string }[];
    };
    for (const { approvalId } of requests) await haft("approvals", "answer", approvalId, "allow-once");
  };

  const place = { project, file: join(project, "marked.txt"), prompt: PART };
  const { script, toldOf } = guardScript(client, place, {
    expected: guardCase.expected,
    answer,
    ...(only && { only }),
  });
  await using model = await startScriptedModel(script);
  const server = [process.execPath, join(import.meta.dirname, "touch-server.ts"), join(project, "mcp.txt")];
  addFiles(Object.entries(client.files(model.url, server as [string, ...string[]])), home);
  const settings = join(home, client.settings);
  const textOf = () => (existsSync(settings) ? readFileSync(settings, "utf8") : undefined);
  const before = textOf();
  const leftBehind: string[] = [];
  const { policy: rules, policyBreaks, program } = guardCase;
  if (rules !== undefined) {
    writeFileSync(policy, rules);
    await haft("guard", "install", client.client.name);
    if (policyBreaks !== undefined) writeFileSync(policy, policyBreaks);
  }
  const text = textOf();
  if (program !== undefined) writeFileSync(settings, withProgram(text!, program, folder));

  const env = { ...base, ...client.client.env(model.url, { config: "", state: "" }), ...client.env };
  const bin = join(installed, "node_modules/.bin", client.client.bin);
  const [first = "", ...rest] = client.client.headless(PROMPT);
  const args = first === "exec" ? [first, ...client.free, ...rest] : [...client.free, first, ...rest];
  // Some end with an error when a call was denied; what counts is what is on the disk, and what the model was told.
  const output = await run(bin, args, { cwd: project, env, limitMs: LIMIT_MS }).catch(String);

  if (rules !== undefined) {
    if (program !== undefined) writeFileSync(settings, text!);
    await haft("guard", "uninstall", client.client.name);
    if (textOf() !== before) leftBehind.push(`${client.settings} is not as it was`);
  }
  return {
    told: toldOf(model.requests),
    output,
    files: filesOf(project),
    starts: linesOf(starts),
    decisions: linesOf(audit),
    leftBehind,
    folder,
  };
}

/** What the line in the settings starts first, so that it can be counted. */
function countingTimeout(folder: string, log: string): void {
  mkdirSync(folder);
  const file = join(folder, "timeout");
  writeFileSync(file, `#!/bin/sh\necho start >> '${log}'\nexec /usr/bin/timeout "$@"\n`);
  chmodSync(file, 0o755);
}

/** Settings whose guard is another program, which has a second. */
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

function linesOf(file: string): number {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0;
}
