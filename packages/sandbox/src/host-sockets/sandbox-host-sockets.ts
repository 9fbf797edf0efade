import type { FileSystem, HaftError } from "@haft/core";
import { attempt, isWithin } from "@haft/system";
import { lstatSync } from "node:fs";
import type { MaskedSocket, SandboxConnection, SandboxMount, SandboxSpec } from "../backend.ts";
import { sandboxError } from "../errors.ts";
import { type HostSocket, getHostSocket, findHostSockets, isListening } from "./find-host-sockets.ts";
import { HostSockets } from "./host-sockets.ts";

/** Each entry costs a mount. */
const MOST_COVERED = 100;

/** Neither read-only mounts nor a missing network close these sockets and FIFOs. */
export class SandboxHostSockets {
  readonly #mounts: readonly SandboxMount[];
  readonly #sockets = new HostSockets();
  /** From before the first command; later FIFOs may be its own. */
  #fifos: ReadonlySet<string> | undefined;
  #fine = -1;

  constructor({ mounts, workspace, network }: Pick<SandboxSpec, "mounts" | "workspace" | "network">) {
    this.#mounts = mounts.flatMap((mount) => {
      const access = mount.name === "" && workspace !== "rw" ? "ro" : mount.access;
      if (mount.name === "" && workspace === "none") return [];
      return access === "ro" || network !== "full" ? [{ ...mount, access }] : [];
    });
  }

  get folders(): string[] {
    return this.#mounts.map(({ hostPath }) => hostPath);
  }

  /** Skips, in writable folders, files that commands may have made. @throws HaftError `SANDBOX_MOUNT_REFUSED` if there are too many */
  async scan(): Promise<{ covered: MaskedSocket[]; unlooked: string[] }> {
    this.#fine = -1;
    if (this.#mounts.length === 0) return { covered: [], unlooked: [] };
    const { sockets, unscanned } = findHostSockets(this.folders);
    const listed = this.#listed();
    const all = new Map([...sockets, ...listed].map((socket) => [socket.path, socket]));
    this.#fifos ??= new Set(sockets.map(({ identity }) => identity));
    const wanted: MaskedSocket[] = [];
    for (const socket of all.values()) {
      const locations = this.#locationsOf(socket.path);
      const closes =
        locations.some(({ access }) => access === "ro") ||
        (socket.kind === "FIFO"
          ? this.#fifos.has(socket.identity)
          : listed.some(({ path }) => path === socket.path) || (await isListening(socket.path)));
      if (!closes) continue;
      for (const { path } of locations)
        wanted.push({ hostPath: socket.path, path, identity: socket.identity });
    }
    if (wanted.length > MOST_COVERED) throw tooMany(wanted);
    return { covered: wanted, unlooked: unscanned };
  }

  /** Checks from inside. Files newer than the sandbox may be its own. @throws HaftError `SANDBOX_MOUNT_REFUSED` */
  async checkMasked(
    covered: readonly MaskedSocket[],
    { ref, mounts }: Pick<SandboxConnection, "ref" | "mounts">,
    fs: Pick<FileSystem, "stat">,
  ): Promise<void> {
    for (const { hostPath, identity, path: wanted } of covered) {
      const path = this.#whereOpened(wanted, mounts);
      const seen = /^(\d+)[:.](\d+)[:.]/.exec((await fs.stat(path, { follow: false }))?.version ?? "");
      if (seen === null || `${seen[1]}:${seen[2]}` !== identity.split(":", 2).join(":")) continue;
      const isNewer = ref.detached && (attempt(() => lstatSync(hostPath).birthtimeMs) ?? 0) > ref.createdAt;
      if (isNewer && !this.#listed().some((socket) => socket.path === hostPath)) continue;
      throw uncovered(hostPath, path);
    }
  }

  /** @throws HaftError `SANDBOX_MOUNT_REFUSED` for new sockets */
  checkExposed(covered: readonly MaskedSocket[]): void {
    if (this.#mounts.length === 0) return;
    const version = this.#sockets.version();
    if (version === this.#fine) return;
    const known = new Map(covered.map(({ hostPath, identity }) => [hostPath, identity]));
    const open = this.#listed().find((socket) => known.get(socket.path) !== socket.identity);
    if (open !== undefined) throw exposed(open.path);
    this.#fine = version;
  }

  #listed(): HostSocket[] {
    return this.#sockets
      .paths()
      .flatMap((path) => (this.#locationsOf(path).length === 0 ? [] : (getHostSocket(path) ?? [])));
  }

  #whereOpened(path: string, opened: SandboxConnection["mounts"]): string {
    const mount = this.#mounts.find((one) => isWithin(path, one.path));
    const there = opened.find(({ name }) => name === mount?.name);
    return mount === undefined || there === undefined ? path : there.path + path.slice(mount.path.length);
  }

  #locationsOf(hostPath: string): { path: string; access: "ro" | "rw" }[] {
    return this.#mounts.flatMap((mount) =>
      isWithin(hostPath, mount.hostPath)
        ? [{ path: mount.path + hostPath.slice(mount.hostPath.length), access: mount.access }]
        : [],
    );
  }
}

function tooMany(masked: readonly MaskedSocket[]): HaftError {
  const [first] = masked;
  const message = `${first!.hostPath} and ${masked.length - 1} more sockets and FIFOs of the host are in folders of the sandbox, where commands could reach their programs. Haft masks at most ${MOST_COVERED}.`;
  return sandboxError("SANDBOX_MOUNT_REFUSED", message, {
    fix: "Move or remove unused sockets and FIFOs, or mount a folder with fewer.",
    details: { path: first!.hostPath },
  });
}

function uncovered(hostPath: string, path: string): HaftError {
  const message = `${hostPath} leads to programs of the host, and could not be masked at ${path}.`;
  return sandboxError("SANDBOX_MOUNT_REFUSED", message, {
    fix: "End the program that listens there, or move its socket or FIFO. If the sandbox is detached and older, remove it (haft sandbox prune).",
    details: { path: hostPath },
  });
}

function exposed(path: string): HaftError {
  const message = `No command was started: a program of the host has listened at ${path} since the sandbox was opened, and commands could reach it.`;
  return sandboxError("SANDBOX_MOUNT_REFUSED", message, {
    fix: "End that program, move its socket, or open another session, which masks the socket.",
    details: { path, reason: "exposed" },
  });
}
