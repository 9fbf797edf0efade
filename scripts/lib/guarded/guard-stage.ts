import {
  chmodSync,
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
import { addFiles } from "../clients/printed-config.ts";
import { run } from "../workspace.ts";
import { BEFORE, type GuardedClient } from "./guarded-client.ts";

/** A home folder, project and policy for one client. */
export interface GuardStage extends Disposable {
  folder: string;
  project: string;
  /** The path of the rules, which do not exist yet. */
  policy: string;
  settings: string;
  settingsText: () => string | undefined;
  /** Numbers of starts by the settings' line, and of the guard's decisions. */
  counts: () => { starts: number; decisions: number };
  /** Runs Haft's command like a person. */
  haft: (...args: string[]) => Promise<string>;
  /** Connects the client to this model, and returns its environment. */
  connectModel: (model: string) => Record<string, string>;
}

/** Sufficient for all clients on a busy machine. */
export const LIMIT_MS = 240_000;
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/** @param installed the client's folder */
export function guardStage(client: GuardedClient, installed: string): GuardStage {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `haft-guarded-${client.name}-`)));
  const [home, project] = [join(folder, "home"), join(folder, "project")];
  const [starts, audit] = [join(folder, "starts.log"), join(folder, "audit.jsonl")];
  mkdirSync(home);
  mkdirSync(join(project, ".git"), { recursive: true });
  writeFileSync(join(project, "marked.txt"), `${BEFORE}\n`);
  writeFileSync(join(project, "dot.png"), Buffer.from(PNG, "base64"));
  const config = join(folder, "haft.config.yaml");
  // A program without a terminal answers here.
  const answers = "approvals: { withoutTerminal: true }\n";
  writeFileSync(config, `policy: ./policy.yaml\naudit: { file: ./audit.jsonl }\n${answers}`);
  countingTimeout(join(folder, "bin"), starts);
  const path = [join(installed, "node_modules/.bin"), dirname(process.execPath), "/usr/bin", "/bin"];
  const base = { HOME: home, LANG: "C.UTF-8", PATH: path.join(":"), TERM: "xterm", TMPDIR: tmpdir() };
  const person = { ...base, PATH: `${join(folder, "bin")}:${base.PATH}`, HAFT_CONFIG: config };
  const [node = "", ...command] = haftCommand;
  const settings = join(home, client.settings);
  return {
    folder,
    project,
    policy: join(folder, "policy.yaml"),
    settings,
    settingsText: () => (existsSync(settings) ? readFileSync(settings, "utf8") : undefined),
    counts: () => ({
      starts: linesOf(starts).length,
      decisions: linesOf(audit).length,
    }),
    haft: (...args) => run(node, [...command, ...args], { cwd: folder, env: person, limitMs: LIMIT_MS }),
    connectModel(model) {
      const server = join(import.meta.dirname, "touch-server.ts");
      const files = client.files(model, [process.execPath, server, join(project, "mcp.txt")], project);
      addFiles(Object.entries(files), home);
      return { ...base, ...client.client.env(model, { config: "", state: "" }), ...client.env };
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Counts starts before the guard runs. */
function countingTimeout(folder: string, log: string): void {
  mkdirSync(folder);
  const file = join(folder, "timeout");
  writeFileSync(file, `#!/bin/sh\necho start >> '${log}'\nexec /usr/bin/timeout "$@"\n`);
  chmodSync(file, 0o755);
}

function linesOf(file: string): string[] {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
}
