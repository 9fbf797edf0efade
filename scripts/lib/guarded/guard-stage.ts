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

/** A home folder, a project and a policy of nobody, in which a client is tried. */
export interface GuardStage extends Disposable {
  /** Where all of it is. */
  folder: string;
  project: string;
  /** Where rules are read from; there are none yet. */
  policy: string;
  /** The settings that `haft guard install` changes. */
  settings: string;
  settingsText: () => string | undefined;
  /** How often the line in the settings was started, and how often the guard decided. */
  counts: () => { starts: number; decisions: number };
  /** Haft's command, as a person types it. */
  haft: (...args: string[]) => Promise<string>;
  /** Puts there what the client needs to ask this model, and answers with its environment. */
  connectModel: (model: string) => Record<string, string>;
}

/** More than any of them takes on a busy machine. */
export const LIMIT_MS = 240_000;
/** One dot. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/** @param installed the folder in which the client was installed */
export function guardStage(client: GuardedClient, installed: string): GuardStage {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `haft-guarded-${client.name}-`)));
  const [home, project] = [join(folder, "home"), join(folder, "project")];
  const [starts, audit] = [join(folder, "starts.log"), join(folder, "audit.jsonl")];
  mkdirSync(home);
  mkdirSync(join(project, ".git"), { recursive: true });
  writeFileSync(join(project, "marked.txt"), `${BEFORE}\n`);
  writeFileSync(join(project, "dot.png"), Buffer.from(PNG, "base64"));
  const config = join(folder, "haft.config.yaml");
  // What answers here is a program, and has no terminal.
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

/** What the line in the settings starts first, so that it can be counted. */
function countingTimeout(folder: string, log: string): void {
  mkdirSync(folder);
  const file = join(folder, "timeout");
  writeFileSync(file, `#!/bin/sh\necho start >> '${log}'\nexec /usr/bin/timeout "$@"\n`);
  chmodSync(file, 0o755);
}

function linesOf(file: string): string[] {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
}
