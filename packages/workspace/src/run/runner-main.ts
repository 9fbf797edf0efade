import { uptimeMs, attempt, findHostProgram, trustForeignTarget, usePrograms } from "@haft/system/processes";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { type Hello, type Opened, type OpenSettings, PROTOCOL_VERSION } from "../wire/protocol.ts";
import { CommandGroups } from "./groups/command-groups.ts";
import { MemoryLimit } from "./memory-limit.ts";
import { answerForwards } from "./network/answer-forwards.ts";
import { openBridges } from "./network/bridges.ts";
import { ProcessTable, type ProcessTableOptions } from "./process-table.ts";
import { RUNNER_TITLE, type RunnerOptions, reservePids } from "./runner-options.ts";
import { serveRunner, type Services } from "./server.ts";

/**
 * Starts commands and serves files over standard input and output. On the host, its argument is {@link ProcessTableOptions} as JSON;
 * elsewhere, the first call contains {@link OpenSettings}. With its input, it ends everything.
 */
const LAST_GRACE_MS = 500;
const IGNORED = [
  "SIGINT", "SIGHUP", "SIGQUIT", "SIGTERM", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGVTALRM", "SIGIO", "SIGPWR", "SIGXCPU",
  "SIGXFSZ", "SIGTSTP", "SIGTTIN", "SIGTTOU",
] as const; // prettier-ignore

let running: ProcessTable | undefined;
let scratch: string | undefined;
let ending = false;

process.title = RUNNER_TITLE;
// The runner ends only with its input. SIGUSR1 would open Node's debugger.
for (const signal of IGNORED) process.on(signal, () => {});
process.stdout.on("error", () => void end());
const given = process.argv[2];
const beside = given === undefined || given === "" ? undefined : (JSON.parse(given) as RunnerOptions);
if (beside === undefined) trustForeignTarget();
else usePrograms(beside.programs);
// The bridges open before any process can take the ports.
if (beside?.bridges !== undefined) openBridges(beside.bridges, complain);
if (beside?.forwards !== undefined) answerForwards(beside.forwards, complain);
void serve();

async function serve(): Promise<void> {
  if (beside === undefined || beside.contained) await reservePids();
  const { controlGroup } = beside ?? {};
  const groups = controlGroup === undefined ? undefined : await CommandGroups.open(controlGroup);
  serveRunner({
    hello: hello(),
    services: beside === undefined ? open : { table: newTable({ ...beside, groups }) },
    input: process.stdin,
    output: process.stdout,
    onEnd: () => void end(),
  });
}

function hello(): Hello {
  return {
    hello: PROTOCOL_VERSION,
    node: process.versions.node,
    platform: process.platform,
    uid: process.getuid?.() ?? -1,
    gid: process.getgid?.() ?? -1,
    home: home(),
    capabilities: {
      files: given === undefined,
      processes: true,
      pty: hasScript(),
      identify: true,
      network: given === undefined,
    },
    clock: uptimeMs(),
  };
}

async function open(wanted: unknown): Promise<Services & { answer: Opened }> {
  const settings = wanted as OpenSettings;
  const [{ baseEnvironment, serveFiles }, { serveConnections }] = await Promise.all([
    import("./serve-files.ts"),
    import("./network/serve-connections.ts"),
  ]);
  const files = serveFiles(settings, home());
  scratch = mkdtempSync(join(realpathSync(tmpdir()), ".haft-runner-"));
  const runId = Buffer.from(crypto.getRandomValues(new Uint8Array(4))).toString("hex");
  const { maxRunning, spareShell, inherit = [] } = settings;
  const memory = MemoryLimit.find();
  const table = newTable({ runId, folder: scratch, listPids: false, maxRunning, spareShell, memory });
  const mounted = settings.mountTable === true ? { mountTable: mountTable() ?? "" } : {};
  const network = serveConnections();
  return { files, table, network, answer: { env: baseEnvironment({ inherit }), ...mounted } };
}

function mountTable(): string | undefined {
  return attempt(() => readFileSync("/proc/self/mountinfo", "utf8"));
}

function newTable(options: ProcessTableOptions): ProcessTable {
  running = new ProcessTable(options);
  return running;
}

function complain(why: string): void {
  process.stderr.write(`${why}\n`);
}

function home(): string {
  return attempt(homedir) ?? "/";
}

function hasScript(): boolean {
  return findHostProgram("script").program !== undefined;
}

async function end(): Promise<void> {
  if (ending) return;
  ending = true;
  await running?.close(LAST_GRACE_MS);
  if (scratch !== undefined) rmSync(scratch, { recursive: true, force: true });
  // oxlint-disable-next-line unicorn/no-process-exit -- a program; children that could not be killed must not keep it
  process.exit(0);
}
