import { HaftError, getErrorMessage } from "@haft/core";
import { isWithin } from "@haft/system";
import { withoutUndefined } from "@haft/utils";
import { escapeGlob, READ_ONLY_PATTERNS } from "@haft/workspace/internal/boundary";
import {
  connectRunner,
  type RunnerConnection,
  type RunnerSettings,
  workspaceError,
} from "@haft/workspace/internal/wire";
import { setTimeout as sleep } from "node:timers/promises";
import type {
  MaskedSocket,
  ProtectedPath,
  SandboxBackend,
  SandboxConnection,
  SandboxSpec,
} from "../backend.ts";
import { sandboxError } from "../errors.ts";
import { SandboxHostSockets } from "../host-sockets/sandbox-host-sockets.ts";
import { parseMountTable } from "../mounts/mount-table.ts";
import { checkMounted, withMountIdentities } from "../mounts/mounted-folders.ts";
import { excludeMountedPrograms } from "../programs/host-programs.ts";
import { connectShellRunner } from "../shell-runner/connect-shell-runner.ts";
import type { OpenSandboxOptions } from "./open-options.ts";

export interface OpenedSandbox {
  connection: SandboxConnection;
  runner: RunnerConnection;
  maskedSockets: readonly MaskedSocket[];
}

/** The reason arrives shortly after the end of the stream. */
const END_REASON_MS = 300;
const ELSEWHERE_SILENT_MS = 30_000;

export class SandboxSession {
  readonly #backend: SandboxBackend;
  readonly #spec: SandboxSpec;
  readonly #options: OpenSandboxOptions;
  readonly #hostSockets: SandboxHostSockets;
  #opening: Promise<OpenedSandbox> | undefined;
  #current: OpenedSandbox | undefined;
  #last: OpenedSandbox | undefined;
  #closing: Promise<void> | undefined;
  /** They may still run with all their access. */
  readonly #lost = new Map<SandboxConnection, Promise<void>>();
  onLost: (why: string) => void = () => {};

  constructor(backend: SandboxBackend, spec: SandboxSpec, options: OpenSandboxOptions) {
    this.#backend = backend;
    this.#spec = withMountIdentities(spec);
    excludeMountedPrograms(this.#spec);
    this.#options = options;
    this.#hostSockets = new SandboxHostSockets(this.#spec);
  }

  get current(): OpenedSandbox | undefined {
    return this.#current;
  }

  get last(): OpenedSandbox {
    return this.#last!;
  }

  open(signal?: AbortSignal): Promise<OpenedSandbox> {
    if (this.#closing !== undefined) return Promise.reject(closed());
    this.#opening ??= this.#open(signal).catch((thrown: unknown) => {
      this.#opening = undefined;
      throw thrown;
    });
    return this.#opening;
  }

  /** Also checks for new sockets. @throws HaftError also `SANDBOX_MOUNT_REFUSED` */
  async openForCommand(): Promise<RunnerConnection> {
    const { connection, runner, maskedSockets } = await this.open();
    if (connection.hostFolders === true) this.#hostSockets.checkExposed(maskedSockets);
    return runner;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #open(signal: AbortSignal | undefined): Promise<OpenedSandbox> {
    await this.#lostOnesEnded();
    const held = this.#options.protectedPaths?.() ?? [];
    const { covered } = await this.#hostSockets.scan();
    const spec = {
      ...this.#spec,
      ...(held.length > 0 && { protectedPaths: held }),
      ...(covered.length > 0 && { maskedSockets: covered }),
    };
    const connection = await this.#backend.open(spec, signal);
    const unable =
      connection.hostFolders !== true
        ? undefined
        : held.length > 0 && connection.protectsPaths !== true
          ? notHeld(this.#backend.id, held[0]!.hostPath)
          : covered.length > 0 && connection.masksSockets !== true
            ? notCovered(this.#backend.id, covered[0]!.hostPath)
            : undefined;
    if (unable !== undefined) {
      await this.#discard(connection);
      throw unable;
    }
    let runner: RunnerConnection;
    try {
      const connect = connection.runner === "shell" ? connectShellRunner : connectRunner;
      runner = await connect(connection.stream, this.#settings(connection, held), signal);
    } catch (thrown) {
      const end = await endOf(connection);
      await connection.close().catch(() => {});
      throw end === undefined ? thrown : withReason(thrown, end);
    }
    try {
      if (checksInside(connection)) checkReadOnly(connection, runner.mountTable);
      if (connection.hostFolders === true && runner.capabilities.files) {
        await checkMounted(spec, connection.mounts, runner.fs);
      }
    } catch (thrown) {
      await this.#discard(connection);
      throw thrown;
    }
    if (connection.hostFolders === true && runner.capabilities.files) {
      await this.#hostSockets.checkMasked(covered, connection, runner.fs).catch(async (thrown: unknown) => {
        await connection.close().catch(() => {});
        throw thrown;
      });
    }
    const opened = { connection, runner, maskedSockets: covered };
    this.#current = opened;
    this.#last = opened;
    void runner.ended.then((why) => this.#lose(opened, why));
    void connection.ended.then(({ why }) => this.#lose(opened, why));
    return opened;
  }

  /** Otherwise the next opening would find a detached sandbox again. */
  async #discard(connection: SandboxConnection): Promise<void> {
    const { ref } = connection;
    await connection.close().catch(() => {});
    if (ref.detached) await this.#backend.destroy(ref).catch(() => {});
  }

  #settings(connection: SandboxConnection, held: readonly ProtectedPath[]) {
    const { mounts, inherit } = connection;
    const { deny, readOnly: given, maxRunning, answerMs } = this.#options;
    const fixed = held.filter(({ access }) => access === "ro").map(({ path }) => escapeGlob(path));
    const readOnly = fixed.length === 0 ? given : [...(given ?? READ_ONLY_PATTERNS), ...fixed];
    return withoutUndefined<RunnerSettings>({
      mounts,
      mountTable: checksInside(connection),
      inherit,
      deny,
      readOnly,
      maxRunning,
      answerMs,
      // Connections between machines may be silent for longer.
      silentMs: connection.hostFolders === true ? undefined : (answerMs ?? ELSEWHERE_SILENT_MS),
    });
  }

  #lose(opened: OpenedSandbox, why: string): void {
    if (this.#current !== opened) return;
    this.#current = undefined;
    this.#opening = undefined;
    if (this.#closing !== undefined) return;
    this.onLost(why);
    const { connection } = opened;
    const ending = this.#endLost(connection, why).then(() => void this.#lost.delete(connection));
    this.#lost.set(connection, ending);
    ending.catch(() => {});
  }

  async #endLost(connection: SandboxConnection, why: string): Promise<void> {
    const { ref: sandbox } = connection;
    const { logger } = this.#options;
    const reason = (await endOf(connection)) ?? why;
    logger?.warn(`A sandbox is lost: ${reason}.`, { sandbox });
    try {
      await connection.close();
    } catch (thrown) {
      logger?.warn(`A lost sandbox may still run: ${getErrorMessage(thrown)}`, { sandbox });
      throw thrown;
    }
  }

  /** Tries once more to end lost sandboxes, which use the same folders and limits. */
  async #lostOnesEnded(): Promise<void> {
    const ended = Array.from(this.#lost, ([connection, ending]) =>
      ending.catch(async () => {
        await this.#backend.destroy(connection.ref);
        this.#lost.delete(connection);
      }),
    );
    await Promise.all(ended);
  }

  async #close(): Promise<void> {
    const opened = await this.#opening?.catch(() => undefined);
    try {
      // It continues without this session's processes.
      if (opened?.connection.ref.detached === true) await opened.runner.close();
      await opened?.connection.close();
    } finally {
      await this.#lostOnesEnded();
    }
  }
}

function checksInside({ hostFolders, readOnly }: SandboxConnection): boolean {
  return hostFolders === true || readOnly !== undefined;
}

async function endOf({ ended }: SandboxConnection): Promise<string | undefined> {
  const end = await Promise.race([ended, sleep(END_REASON_MS)]);
  return end?.why;
}

function withReason(thrown: unknown, why: string): unknown {
  if (!HaftError.is(thrown)) return thrown;
  const { code, category, fix, details, receipt } = thrown;
  return new HaftError(
    code,
    `${getErrorMessage(thrown)} The sandbox ended: ${why}`,
    withoutUndefined({
      category,
      fix,
      details,
      receipt,
      cause: thrown,
    }),
  );
}

function notHeld(backend: string, path: string): HaftError {
  const message = `${backend} cannot protect ${path}, which is required.`;
  const fix = "Use bubblewrap or Docker, or mount the folder with access ro.";
  return sandboxError("SANDBOX_UNSUPPORTED", message, { fix, details: { path } });
}

function notCovered(backend: string, path: string): HaftError {
  const message = `${backend} cannot mask ${path}, which is required.`;
  const fix = "Use bubblewrap or Docker, or move that socket or FIFO.";
  return sandboxError("SANDBOX_UNSUPPORTED", message, { fix, details: { path } });
}

function closed(): HaftError {
  return workspaceError("SANDBOX_LOST", "The sandbox of this session was closed.", {
    fix: "Open another session.",
    receipt: "none",
  });
}

function checkReadOnly(
  { readOnly = [], mounts }: Pick<SandboxConnection, "readOnly" | "mounts">,
  text: string | undefined,
): void {
  const table = parseMountTable(text ?? "");
  const [first] = readOnly;
  if (table.length === 0 && first !== undefined) {
    throw refused(first.path, "no mount table inside shows that it is read-only");
  }
  const paths = [
    ...mounts.map(({ path, access }) => ({ path, writable: access === "rw" })),
    ...readOnly.map(({ path }) => ({ path, writable: false })),
  ];
  // The last mount of a path is visible.
  for (const { path, readOnly: isReadOnly } of new Map(table.map((one) => [one.path, one])).values()) {
    const nearest = paths
      .filter((one) => isWithin(path, one.path))
      .toSorted((one, other) => other.path.length - one.path.length)
      .at(0);
    if (nearest?.writable === false && !isReadOnly) {
      throw refused(path, `it would be writable inside, although ${nearest.path} must be read-only`);
    }
  }
  for (const { path, mounted } of readOnly) {
    const found = table.findLast((one) => one.path === path);
    if (mounted === undefined || found === undefined) continue;
    if (mounted.device === found.device && mounted.root === found.root) continue;
    throw refused(path, "another mount is there than the checked mount");
  }
}

function refused(path: string, why: string): HaftError {
  return sandboxError("SANDBOX_MOUNT_REFUSED", `${path} is not mounted into a sandbox: ${why}.`, {
    fix: "Check the mounts below the folder on the host. Unmount them, remove the folder from the settings, or use bubblewrap.",
    details: { path },
  });
}
