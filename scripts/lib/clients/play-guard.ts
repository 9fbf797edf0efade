import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { haftCommand } from "../../../test/support/build-under-test.ts";
import { inOrder, type ScriptedCall } from "../scripted-model/script.ts";
import { startScriptedModel } from "../scripted-model/scripted-model.ts";
import { run } from "../workspace.ts";
import type { Client } from "./client.ts";
import { addFiles } from "./printed-config.ts";

/** How a client is tried with the guard in its settings. */
export interface GuardedClient {
  /** The file that `haft guard install` changes, in the home folder. */
  settings: string;
  /** Arguments by which it asks nobody, so that nothing but the hook holds a call. */
  free: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** A call that runs a command, by the client's own tool. */
  shell(command: string): ScriptedCall;
  /** A call that writes a file with it. */
  write(path: string): ScriptedCall;
}

/** By names of clients. */
export const guardedClients: Readonly<Record<string, GuardedClient>> = {
  claude: {
    settings: ".claude/settings.json",
    free: ["--permission-mode", "bypassPermissions"],
    env: { IS_SANDBOX: "1" },
    shell: (command) => ({ name: "Bash", arguments: { command, description: "A command" } }),
    write: (file_path) => ({ name: "Write", arguments: { file_path, content: "own\n" } }),
  },
  codex: {
    settings: ".codex/config.toml",
    free: ["--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox"],
    shell: (cmd) => ({ name: "exec_command", arguments: { cmd } }),
    write: (path) => ({
      name: "apply_patch",
      custom: true,
      arguments: `*** Begin Patch\n*** Add File: ${path}\n+own\n*** End Patch\n`,
    }),
  },
  gemini: {
    settings: ".gemini/settings.json",
    free: ["--approval-mode", "yolo"],
    shell: (command) => ({ name: "run_shell_command", arguments: { command } }),
    write: (file_path) => ({ name: "write_file", arguments: { file_path, content: "own\n" } }),
  },
  copilot: {
    settings: ".copilot/hooks/haft-guard.json",
    free: ["--allow-all-tools"],
    shell: (command) => ({ name: "bash", arguments: { command, description: "A command" } }),
    write: (path) => ({ name: "create", arguments: { path, file_text: "own\n" } }),
  },
  opencode: {
    settings: ".config/opencode/plugins/haft-guard.js",
    free: [],
    shell: (command) => ({ name: "bash", arguments: { command, description: "A command" } }),
    write: (filePath) => ({ name: "write", arguments: { filePath, content: "own\n" } }),
  },
  pi: {
    settings: ".pi/agent/extensions/haft-guard.ts",
    free: [],
    shell: (command) => ({ name: "bash", arguments: { command } }),
    write: (path) => ({ name: "write", arguments: { path, content: "own\n" } }),
  },
};

/** What is tried, and whether the calls have to run. */
export const GUARD_CASES = { allow: true, deny: false, missing: false, crash: false, never: false } as const;
export type GuardCase = keyof typeof GUARD_CASES;

const LIMIT_MS = 180_000;

/**
 * Installs the guard in a client's settings, has its scripted model run a command and write a file, and looks at what is on the
 * disk, at what the model was told, and at the settings after `haft guard uninstall`.
 *
 * @returns what was not as it has to be
 */
export async function playGuard(client: Client, what: GuardCase, installed: string): Promise<string[]> {
  const guarded = guardedClients[client.name]!;
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `haft-guarded-${client.name}-`)));
  const [home, project] = [join(folder, "home"), join(folder, "project")];
  mkdirSync(home);
  mkdirSync(join(project, ".git"), { recursive: true });
  const policy = join(folder, "policy.yaml");
  writeFileSync(policy, `deny: ${what === "deny" ? "[exec, effect:write]" : '["exec(rm *)"]'}\n`);
  const path = [join(installed, "node_modules/.bin"), dirname(process.execPath), "/usr/bin", "/bin"];
  const base = { HOME: home, LANG: "C.UTF-8", PATH: path.join(":"), TERM: "xterm", TMPDIR: tmpdir() };
  const [node = "", ...command] = haftCommand;
  const haft = (...args: string[]) =>
    run(node, [...command, "guard", ...args], { cwd: folder, env: base, limitMs: LIMIT_MS });
  const files = { shell: join(project, "shell.txt"), write: join(project, "written.txt") };
  const script = inOrder([
    { calls: [guarded.shell("echo ran > shell.txt")] },
    { calls: [guarded.write(files.write)] },
  ]);
  try {
    await using model = await startScriptedModel(script);
    addFiles(Object.entries(client.files?.(model.url) ?? {}), home);
    const settings = join(home, guarded.settings);
    const before = existsSync(settings) ? readFileSync(settings, "utf8") : undefined;
    await haft("install", client.name, "--policy", policy);
    const text = readFileSync(settings, "utf8");
    const broken = brokenProgram(what, folder);
    if (broken !== undefined)
      writeFileSync(
        settings,
        text
          .replace(/[^\s"']+guard-hook\.[jt]s/, broken)
          .replace("-k 1 9", "-k 1 4")
          .replace("9000", "4000"),
      );
    const env = { ...base, ...client.env(model.url, { config: "", state: "" }), ...guarded.env };
    const bin = join(installed, "node_modules/.bin", client.bin);
    const [first = "", ...rest] = client.headless("Do the task.");
    const args = first === "exec" ? [first, ...guarded.free, ...rest] : [...guarded.free, first, ...rest];
    // Some end with an error when a call was denied; what counts is what is on the disk.
    const said = await run(bin, args, { cwd: project, env, limitMs: LIMIT_MS }).catch(String);
    const problems: string[] = [];
    const results = model.requests.at(-1)?.results ?? [];
    if (results.length !== 2)
      problems.push(`${results.length} results came back, not 2: ${said.slice(-400)}`);
    for (const [name, file] of Object.entries(files))
      if (existsSync(file) !== GUARD_CASES[what])
        problems.push(
          `${name} ${existsSync(file) ? "ran" : "did not run"}: ${results.map(({ text: each }) => each.slice(0, 300)).join(" | ")}`,
        );
    if (what === "deny" && results.some(({ text: each }) => !each.includes("policy.yaml:1")))
      problems.push(
        `the model was not told which rule: ${results.map(({ text: each }) => each.slice(0, 300)).join(" | ")}`,
      );
    writeFileSync(settings, text);
    await haft("uninstall", client.name);
    const after = existsSync(settings) ? readFileSync(settings, "utf8") : undefined;
    if (after !== before) problems.push("its settings are not as they were");
    return problems;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What stands where the guard's program was. */
function brokenProgram(what: GuardCase, folder: string): string | undefined {
  const program = join(folder, "guard-hook.js");
  if (what === "missing") return program;
  if (what !== "crash" && what !== "never") return undefined;
  writeFileSync(program, what === "crash" ? "process.exit(1);\n" : "for (;;);\n");
  return program;
}
