import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunInSandbox } from "../../../../sandbox/test/escapes/run-attempts.ts";
import { createHost, type Host } from "../../../src/host/host.ts";

/** A session of a host with the preset `contained`, as users have it. */
export interface ContainedHost {
  host: Host;
  /** What is Haft's own here: state, held-back things. */
  stateDir: string;
  /** @param background answers at once */
  run(...of: [...Parameters<RunInSandbox>, background?: boolean]): ReturnType<RunInSandbox>;
  /** All that the model was told, of the last command. */
  lastOutcome(): string;
  close(): Promise<void>;
}

export interface ContainedHostOptions {
  workspaceDir: string;
  /** A second root, which is only read. */
  readOnly?: string;
  homeDir?: string;
  /** Where its state is; the folder for temporary files by default, which is not there in a view anyway. */
  stateBase?: string;
}

/** @throws Error where this machine cannot contain commands */
export async function openContained(options: ContainedHostOptions): Promise<ContainedHost> {
  const { workspaceDir, readOnly, homeDir, stateBase = tmpdir() } = options;
  const stateDir = realpathSync(mkdtempSync(join(stateBase, "haft-escape-state-")));
  const host = await createHost({
    workspaceDir,
    stateDir,
    administratorPolicy: false,
    policy: { exec: { preset: "contained" } },
    ...(readOnly === undefined ? {} : { roots: { ro: { path: readOnly, access: "ro" as const } } }),
    boundary: { deny: ["**/.env"], ...(homeDir === undefined ? {} : { homeDir }) },
  });
  const session = await host.openSession();
  let printed = "";
  return {
    host,
    stateDir,
    async run(script, env, background = false) {
      const set = Object.entries(env).map(([name, value]) => `export ${name}='${value}'`);
      const outcome = await session.call({
        name: "exec",
        arguments: {
          command: [...set, script].join("\n"),
          timeoutSeconds: 60,
          ...(background ? { background } : { yieldMs: 60_000 }),
        },
      });
      printed = JSON.stringify(outcome);
      const { aggregated } = (outcome as { details?: { aggregated?: string } }).details ?? {};
      return { output: aggregated ?? printed };
    },
    lastOutcome: () => printed,
    async close() {
      await host.close();
      rmSync(stateDir, { recursive: true, force: true });
    },
  };
}
