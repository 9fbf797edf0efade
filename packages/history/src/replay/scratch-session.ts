import { disableRecording } from "@haft/config/internal/audit";
import { DEFAULT_LIMITS } from "@haft/config/internal/settings";
import { HaftError } from "@haft/core";
import type { CallRecord, RunRecord, Session } from "@haft/core/kernel";
import { type HostOptions, createHost } from "@haft/host";
import { replaceConfiguredPolicy } from "@haft/host/internal/host";
import type { SandboxWorkspace } from "@haft/sandbox";
import { isWithin } from "@haft/system";
import { withoutUndefined } from "@haft/utils";
import { createHostNetwork } from "@haft/workspace";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { historyError } from "../errors.ts";
import type { UnsureFile } from "./opening-files.ts";
import { needsContainment, findReplayExclusion } from "./replay-exclusion.ts";

export interface ScratchSession {
  readonly session: Session;
  readonly uncontained?: string;
  close(): Promise<void>;
}

export function scratchFolder(): string {
  return mkdtempSync(join(tmpdir(), "haft-replay-"));
}

/**
 * Opens a sandbox with the folder at the run's path, and a session with the same facts. Recorded consent
 * counts; the administrator's rules apply. Without containment, the session has no processes.
 *
 * @throws HaftError `REPLAY_UNAVAILABLE` if there are only commands and no containment
 */
export async function openScratchSession(
  run: RunRecord,
  calls: readonly CallRecord[],
  folder: string,
  unsure: readonly UnsureFile[],
  { live, options }: { live: readonly string[]; options: HostOptions },
): Promise<ScratchSession> {
  const sandbox = await openContained(run, calls, folder, unsure).catch((thrown: unknown) => {
    if (!HaftError.is(thrown) || !hasWorkForFiles(run, calls, live)) throw thrown;
    return thrown;
  });
  const uncontained = sandbox instanceof HaftError ? sandbox : undefined;
  const workspace = sandbox instanceof HaftError ? undefined : sandbox;
  try {
    const host = await createHost(
      disableRecording<HostOptions>({
        ...replaceConfiguredPolicy(options),
        policy: {},
        workspaceDir: folder,
        // A replay is not recorded or reported.
        store: "sqlite",
        notify: [],
        approver: { ask: async () => "allow-once" },
        approvalMode: "wait",
      }),
    );
    const { kind, agentId, messageChannel, groupId, sender, model } = run.facts;
    const session = await host.openSession(
      withoutUndefined({
        kind,
        agentId,
        messageChannel,
        groupId,
        sender,
        model: model === "" ? undefined : { name: model },
        sessionKey: `replay-${randomUUID()}`,
        workspace: workspace ?? host.workspace,
        network: live.length > 0 ? createHostNetwork(options.network ?? {}) : undefined,
      }),
    );
    return {
      session,
      ...(uncontained && { uncontained: uncontained.message }),
      async close() {
        await host.close();
        await workspace?.close();
      },
    };
  } catch (thrown) {
    await workspace?.close();
    throw thrown;
  }
}

/** Sandbox calls are not repeated on the host. */
function hasWorkForFiles(
  { facts, workspace }: RunRecord,
  calls: readonly CallRecord[],
  live: readonly string[],
) {
  const isAgain = (call: CallRecord) => findReplayExclusion(call, live, workspace.cwd) === undefined;
  return facts.kind !== "sandboxed" && calls.some((call) => isAgain(call) && !needsContainment(call));
}

async function openContained(
  { workspace: { cwd } }: RunRecord,
  calls: readonly CallRecord[],
  folder: string,
  unsure: readonly UnsureFile[],
): Promise<SandboxWorkspace> {
  const { createBubblewrapBackend, openSandbox } = await import("@haft/sandbox");
  const programs = programFolders(calls, cwd);
  const packages = unsure.flatMap(({ path, packages: are }, index) => {
    const hostFolder = join(cwd, path);
    const isThere = are === true && statSync(hostFolder, { throwIfNoEntry: false })?.isDirectory() === true;
    return isThere
      ? [{ name: `packages${index}`, hostPath: hostFolder, path: hostFolder, access: "ro" as const }]
      : [];
  });
  try {
    return await openSandbox(createBubblewrapBackend({ system: programs.map(({ folder: one }) => one) }), {
      key: `replay-${randomUUID()}`,
      scope: "session",
      workspace: "rw",
      mounts: [{ name: "", hostPath: folder, path: cwd, access: "rw" }, ...packages],
      env: { PATH: [...programs.map(({ bin }) => bin), "/usr/local/bin", "/usr/bin", "/bin"].join(":") },
      network: "none",
      limits: DEFAULT_LIMITS,
      lifetime: "tethered",
    });
  } catch (thrown) {
    if (!HaftError.is(thrown)) throw thrown;
    throw historyError("REPLAY_UNAVAILABLE", `This machine cannot contain commands: ${thrown.message}`, {
      cause: thrown,
      ...(thrown.fix !== undefined && { fix: thrown.fix }),
    });
  }
}

/** Program folders outside the system, mounted read-only; never a home folder. */
function programFolders(calls: readonly CallRecord[], cwd: string): { folder: string; bin: string }[] {
  const paths = calls.flatMap(({ plan }) =>
    (plan?.subjects?.command?.commands ?? []).flatMap(({ path }) => path ?? []),
  );
  const bins = new Set(
    paths.map((path) => dirname(path)).filter((bin) => !isOfSystem(bin) && !isWithin(bin, cwd)),
  );
  return [...bins].flatMap((bin) => {
    // Programs in bin need lib next to it.
    const folder = /\/s?bin$/.test(bin) ? dirname(bin) : bin;
    const holdsTooMuch = folder === "/" || isWithin(homedir(), folder) || isWithin(cwd, folder);
    return holdsTooMuch ? [] : [{ folder, bin }];
  });
}

function isOfSystem(path: string): boolean {
  return ["/usr", "/bin", "/sbin"].some((folder) => isWithin(path, folder));
}

export function removeScratch(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
