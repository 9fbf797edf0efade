import { HaftError } from "@haft/core";
import type { CallRecord } from "@haft/core/kernel";
import { type HostOptions, createHost, type Host } from "@haft/host";
import { openSqliteStore } from "@haft/store";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { getStateFolder, temporaryFolder } from "../../../../../test/support/temporary-folder.ts";

/** A workspace, and the file that its hosts keep things in. */
export interface FaultWorkspace {
  readonly cwd: string;
  readonly stateDir: string;
  readonly db: string;
}

export async function createFaultWorkspace(): Promise<FaultWorkspace> {
  const cwd = await temporaryFolder();
  const stateDir = getStateFolder(cwd);
  return { cwd, stateDir, db: join(stateDir, "haft.db") };
}

/** A host there, with what it says. */
export async function openHostIn(
  { cwd, stateDir }: FaultWorkspace,
  options: HostOptions = {},
): Promise<{ host: Host; said: string[] }> {
  const said: string[] = [];
  const say = (message: string, facts?: object) =>
    void said.push(`${message} ${JSON.stringify(facts ?? {})}`);
  const logger = { debug() {}, info: say, warn: say, error: say };
  const base = { workspaceDir: cwd, stateDir, administratorPolicy: false as const, logger };
  const host = await createHost({ ...base, ...options });
  onTestFinished(() => host.close());
  return { host, said };
}

export const SESSION = { sessionKey: "talk" };

/** A call whose effect is a line that can be counted. */
export const createNoteCall = (id: string) => ({
  id,
  name: "exec",
  arguments: { command: `echo ${id} >>noted` },
});

/** What was done, however it is recorded. */
export function readEffects({ cwd }: Pick<FaultWorkspace, "cwd">): string[] {
  const path = join(cwd, "noted");
  return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
}

/** What is recorded, for whoever looks from elsewhere, the oldest first. */
export async function readRecords({ db }: Pick<FaultWorkspace, "db">): Promise<CallRecord[]> {
  const store = openSqliteStore({ path: db });
  try {
    return [...(await store.ledger.calls({ order: "oldest", limit: 1000 })).items];
  } finally {
    await store.close();
  }
}

/** The code of what was thrown. */
export const getErrorCode = (act: Promise<unknown>): Promise<string> =>
  act.then(
    () => "none",
    (thrown: unknown) => (HaftError.is(thrown) ? thrown.code : String(thrown)),
  );
