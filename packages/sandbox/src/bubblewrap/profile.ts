import type { Mount } from "@haft/core";
import { attempt } from "@haft/system";
import { lstatSync, readFileSync, readlinkSync } from "node:fs";
import { isAbsolute, join, normalize } from "node:path";
import type { SandboxSpec } from "../backend.ts";
import { bubblewrapError } from "../errors.ts";
import type { SandboxIdentity } from "../isolation/identity.ts";
import { SANDBOX_MARKER_VARIABLE } from "../launch/marked-processes.ts";
import type { PassedFiles } from "../launch/passed-files.ts";
import { hostMounts } from "../mounts/host-mounts.ts";
import { DEVICES } from "./device-nodes.ts";
import { coverKernelFiles } from "./kernel-files.ts";

export const SANDBOX_NODE_PATH = "/opt/haft/node";
export const SANDBOX_RUNNER_PATH = "/opt/haft/runner.js";
const WORKSPACE_INSIDE = "/workspace";

const LINKS = ["/bin", "/sbin", "/lib", "/lib64", "/lib32", "/libx32"];
const CONFIGURATION = [
  "/etc/alternatives",
  "/etc/ld.so.cache",
  "/etc/localtime",
  "/etc/ssl/certs",
  "/etc/ssl/openssl.cnf",
  "/etc/ca-certificates",
  "/etc/pki/ca-trust/extracted",
  "/etc/pki/tls/certs",
  "/etc/crypto-policies",
];
/** Haft's own mounts; a specification may not mount above or below. */
const TAKEN = ["/proc", "/dev", "/sys", "/usr", "/etc", "/opt/haft", "/var/tmp", ...LINKS];
const MIB = 1024 * 1024;
const MAX_SHARED_MEMORY_MB = 64;

export interface BubblewrapProfile {
  argv: string[];
  mounts: Mount[];
}

export interface ProfileOptions {
  spec: SandboxSpec;
  identity: SandboxIdentity;
  node: string;
  program: string;
  filter: Uint8Array | undefined;
  devices: string | undefined;
  memory: readonly { host: string; inside: string }[];
  system: readonly string[];
  files: PassedFiles;
}

/** Later mounts cover earlier mounts, so read-only mounts come last. */
export function buildProfile(options: ProfileOptions): BubblewrapProfile {
  const { spec, identity, node, program, filter, devices, memory, system, files } = options;
  const { uid, gid } = identity.inside;
  const write = (path: string, text: string): string[] => [
    ...words("--perms 0444 --file"),
    String(files.addText(text)),
    path,
  ];
  const mounts = mountsOf(spec);
  const network = spec.network === "full";
  const users = `haft:x:${uid}:${gid}:haft:/tmp:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n`;
  const size = sizeOf(spec.limits.tmpMb);
  const argv = [
    words("--unshare-user --disable-userns --unshare-ipc --unshare-pid --unshare-uts --unshare-cgroup-try"),
    network ? [] : ["--unshare-net"],
    words("--die-with-parent --new-session --cap-drop ALL --hostname sandbox"),
    ["--uid", String(uid), "--gid", String(gid)],
    ["--unsetenv", SANDBOX_MARKER_VARIABLE],
    // Set last, because variables can change how programs are loaded.
    Object.entries(spec.env).flatMap(([name, value]) => ["--setenv", name, value]),
    filter === undefined ? [] : ["--seccomp", String(files.addText(filter))],
    words("--ro-bind /usr /usr"),
    LINKS.flatMap(linkOrFolder),
    words("--perms 0755 --dir /etc"),
    [...CONFIGURATION, ...system].flatMap((path) => ["--ro-bind-try", path, path]),
    write("/etc/passwd", users),
    write("/etc/group", `haft:x:${gid}:\nnogroup:x:65534:\n`),
    write("/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"),
    write("/etc/hosts", network ? hostText("/etc/hosts") : "127.0.0.1 localhost sandbox\n::1 localhost\n"),
    write("/etc/resolv.conf", network ? hostText("/etc/resolv.conf") : ""),
    words("--proc /proc"),
    coverKernelFiles(),
    words("--dev /dev"),
    devices === undefined
      ? []
      : DEVICES.flatMap((name) => ["--dev-bind", join(devices, name), `/dev/${name}`]),
    words(`--perms 1777 --size ${sizeOf(Math.min(spec.limits.tmpMb, MAX_SHARED_MEMORY_MB))}`),
    words(`--tmpfs /dev/shm --remount-ro /dev --perms 1777 --size ${size} --tmpfs /tmp`),
    words("--perms 0755 --dir /var --symlink ../tmp /var/tmp"),
    memory.flatMap(({ host, inside }) => ["--ro-bind", host, inside]),
    words("--perms 0755 --dir /opt --perms 0755 --dir /opt/haft"),
    ["--ro-bind", node, SANDBOX_NODE_PATH],
    write(SANDBOX_RUNNER_PATH, program),
    mounts.flatMap(({ hostPath, path, access }) =>
      hostPath === undefined
        ? ["--size", size, "--tmpfs", path]
        : [access === "rw" ? "--bind" : "--ro-bind", hostPath, path],
    ),
    // The check from inside finds missing files.
    (spec.protectedPaths ?? []).flatMap(({ access, hostPath, path }) => [
      access === "rw" ? "--bind-try" : "--ro-bind-try",
      hostPath,
      path,
    ]),
    (spec.maskedSockets ?? []).flatMap(({ path }) => ["--ro-bind", "/dev/null", path]),
    ["--chdir", mounts[0]!.path, "--remount-ro", "/"],
  ].flat();
  if (argv.some((one) => one.includes("\0"))) {
    throw bubblewrapError(
      "SANDBOX_UNSUPPORTED",
      "a variable or a path contains a NUL character",
      "Leave it out.",
    );
  }
  return { argv, mounts: mounts.map(({ name, path, access }) => ({ name, path, access })) };
}

function mountsOf(spec: SandboxSpec): (Mount & { hostPath?: string })[] {
  const { main, others } = hostMounts(spec, bubblewrapError);
  const path = spec.mounts.find(({ name }) => name === "")?.path ?? WORKSPACE_INSIDE;
  return [main ?? { name: "", path, access: "rw" as const }, ...others].map((one) => ({
    ...one,
    path: insidePath(one.path),
  }));
}

function insidePath(path: string): string {
  const clean = isAbsolute(path) ? normalize(path).replace(/\/+$/, "") : "";
  const over = TAKEN.find(
    (one) => clean === one || clean.startsWith(`${one}/`) || one.startsWith(`${clean}/`),
  );
  if (clean === "" || clean === "/tmp" || over !== undefined) {
    throw bubblewrapError(
      "SANDBOX_UNSUPPORTED",
      `a mount at ${JSON.stringify(path)} inside is not allowed`,
      "Mount it at a separate absolute path, such as /workspace or /mnt/name.",
    );
  }
  return clean;
}

function linkOrFolder(path: string): string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  return stats.isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path];
}

function hostText(path: string): string {
  return attempt(() => readFileSync(path, "utf8")) ?? "";
}

function sizeOf(mb: number): string {
  return String(Math.max(1, Math.floor(mb * MIB)));
}

function words(text: string): string[] {
  return text.split(" ");
}
