import type { ToolOutcome } from "@haft/core";
import { Registry, SessionFactory } from "@haft/core/kernel";
import { createPolicy, type PolicyConfig } from "@haft/policy";
import { createHostProcesses, createHostWorkspace } from "@haft/workspace";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import {
  type AcceptedServer,
  mountMcp,
  type MountOptions,
  type ServerChange,
  surveyMcp,
} from "../../src/index.ts";

/** The program beside this file, as a server of this name. */
export function programServer(
  behaviour = "",
  notes = "",
  more: Partial<AcceptedServer> = {},
): AcceptedServer {
  const args = ["--no-warnings", join(import.meta.dirname, "server-program.ts"), behaviour, notes];
  return { name: "prog", reach: { command: process.execPath, args }, tools: [], ...more };
}

/** A folder with the processes of a session in it, ended after the test. */
export function createTestWorkspace() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "haft-mcp-")));
  const files = createHostWorkspace({ root });
  const processes = createHostProcesses({ workspace: files, stateFolder: join(root, ".state") });
  onTestFinished(async () => {
    await processes.close({ graceMs: 0 });
    rmSync(root, { recursive: true, force: true });
  });
  const workspace = { ...files, fs: files.fs, processes, describe: () => files.describe() };
  const notes = join(root, "notes");
  return {
    root,
    workspace,
    processes,
    notes,
    noted: () => (existsSync(notes) ? readFileSync(notes, "utf8").trim().split("\n") : []),
  };
}

/** A main session with the tools of a server, as it describes them now; `change` tells what was found since. */
export async function mountServer(
  server: AcceptedServer,
  {
    at = createTestWorkspace(),
    policy = {},
    mount = {},
  }: { at?: ReturnType<typeof createTestWorkspace>; policy?: PolicyConfig; mount?: MountOptions } = {},
) {
  const { tools } =
    server.tools.length > 0 ? server : await surveyMcp(server, { place: { processes: at.processes } });
  const changes: ServerChange[] = [];
  const effects = Object.fromEntries(tools.map(({ name }) => [name, []]));
  const accepted: AcceptedServer = { effects, ...server, tools };
  const plugin = mountMcp(accepted, { onChange: (change) => void changes.push(change), ...mount });
  const registry = new Registry({ plugins: [plugin] });
  const factory = new SessionFactory({
    registry,
    policy: createPolicy(policy, { tools: await registry.survey(SILENT) }),
  });
  onTestFinished(async () => void (await registry.close()));
  const open = async () => {
    const session = await factory.open({ workspace: at.workspace, kind: "main", sessionKey: `s${++opened}` });
    onTestFinished(() => session.close());
    return session;
  };
  const session = await open();
  const call = (name: string, args: object = {}, signal?: AbortSignal): Promise<ToolOutcome> =>
    session.call({ name: `prog_${name}`, arguments: args }, signal === undefined ? {} : { signal });
  return { at, session, open, call, changes, registry };
}

let opened = 0;
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
