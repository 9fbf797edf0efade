import { attempt, isWithin } from "@haft/system";
import { sha256 } from "@haft/utils";
import { lstatSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { DEVICES } from "../bubblewrap/device-nodes.ts";
import { coverKernelFiles } from "../bubblewrap/kernel-files.ts";
import { DEFAULT_TMP_MB } from "../defaults.ts";
import type { PassedFiles } from "../launch/passed-files.ts";
import { PRIVATE_FOLDERS, type MountRule } from "./mount-plan.ts";

/** Out of reach of commands. */
const NOTHING = "/run/.haft";
const EMPTY_FILE = `${NOTHING}/file`;
export const EMPTY_FOLDER = `${NOTHING}/folder`;
/** Cannot be opened: git neither adds nor removes it. */
export const CLOSED_FILE = `${NOTHING}/closed`;
export const VIEW_NODE_PATH = `${NOTHING}/node`;
/** Read-only copies of writable mounts, so that a protected path never becomes writable in between. */
const SOURCES = `${NOTHING}/sources`;
const MIB = 1024 * 1024;

/** Their owner can open them without any capability. */
const OF_KERNEL = [
  "/sys/kernel/debug",
  "/sys/kernel/tracing",
  "/sys/kernel/security",
  "/sys/fs/bpf",
  "/sys/fs/pstore",
];

export interface ArgumentOptions {
  rules: readonly MountRule[];
  folder: string;
  sockets: readonly string[];
  network: "none" | "full";
  tmpMb: number | undefined;
  filter: Uint8Array;
  devices: string | undefined;
  node: string;
  files: PassedFiles;
}

export function buildArguments(options: ArgumentOptions): string[] {
  const { rules, folder, sockets, network, tmpMb = DEFAULT_TMP_MB, filter, devices, node, files } = options;
  const size = String(Math.max(1, Math.floor(tmpMb * MIB)));
  // After the mounts inside have their mount points.
  const closed = rules.filter(
    (rule) => rule.kind === "frame" || (rule.kind === "hidden" && rule.folder && rule.from === undefined),
  );
  return [
    words("--unshare-pid --unshare-ipc --unshare-cgroup-try"),
    network === "none" ? ["--unshare-net"] : [],
    words("--die-with-parent --cap-drop ALL"),
    ["--seccomp", String(files.addText(filter))],
    words("--ro-bind / / --proc /proc"),
    coverKernelFiles(),
    devices === undefined
      ? []
      : OF_KERNEL.filter(isFolder).flatMap((path) => [
          "--size",
          "4096",
          "--tmpfs",
          path,
          "--remount-ro",
          path,
        ]),
    words("--dev /dev"),
    devices === undefined
      ? []
      : DEVICES.flatMap((name) => ["--dev-bind", join(devices, name), `/dev/${name}`]),
    ["--perms", "1777", "--size", size, "--tmpfs", "/dev/shm", "--remount-ro", "/dev"],
    PRIVATE_FOLDERS.filter((path) => path !== "/dev/shm" && isFolder(path)).flatMap((path) => {
      const mode = path === "/run" ? "0755" : "1777";
      return ["--perms", mode, "--size", size, "--tmpfs", path];
    }),
    ofRun().flatMap((path) => ["--ro-bind-try", path, path]),
    ["--perms", "0755", "--size", "65536", "--tmpfs", NOTHING, "--perms", "0555", "--dir", EMPTY_FOLDER],
    ["--ro-bind", node, VIEW_NODE_PATH, "--perms", "0000", "--dir", SOURCES],
    openOf(rules).flatMap(({ path, from = path }, at) => ["--ro-bind", from, `${SOURCES}/${at}`]),
    rules.flatMap(({ path, kind, from }) =>
      kind === "hidden" && from !== undefined ? ["--ro-bind", from, getReplacementSource(path)] : [],
    ),
    ["--perms", "0444", "--file", String(files.addText("")), EMPTY_FILE],
    ["--ro-bind", "/dev/null", CLOSED_FILE, "--remount-ro", NOTHING],
    rules.flatMap((rule) =>
      rule.path === folder ? ["--bind", folder, folder] : mountOf(rule, rules, files),
    ),
    sockets.flatMap((path) => ["--ro-bind", "/dev/null", path]),
    closed.flatMap(({ path }) => ["--remount-ro", path]),
    words("--chdir /"),
  ].flat();
}

export function getMountSource(path: string, rules: readonly MountRule[]): string {
  const open = openOf(rules);
  const around = open.findLast((one) => isWithin(path, one.path));
  if (around === undefined) return path;
  return `${SOURCES}/${open.indexOf(around)}${path.slice(around.path.length)}`;
}

export function getReplacementSource(path: string): string {
  return `${SOURCES}/shown-${sha256(path).slice(0, 16)}`;
}

/** In writable folders, git would add an empty file, and a reset would overwrite the real file. */
export function getHiddenFileSource(path: string, rules: readonly MountRule[]): string {
  return openOf(rules).some((one) => isWithin(path, one.path)) ? CLOSED_FILE : EMPTY_FILE;
}

function openOf(rules: readonly MountRule[]): MountRule[] {
  return rules.filter(({ kind }) => kind === "open");
}

function mountOf(
  { path, kind, from = path, folder }: MountRule,
  rules: readonly MountRule[],
  files: PassedFiles,
): string[] {
  if (kind === "frame") return ["--perms", "0755", "--size", "65536", "--tmpfs", path];
  if (kind !== "hidden" || from !== path) return ["--ro-bind", from, path];
  if (folder) return ["--perms", "0555", "--size", "65536", "--tmpfs", path];
  // Bubblewrap's mounts forbid opening devices.
  if (getHiddenFileSource(path, rules) === CLOSED_FILE) return ["--ro-bind", "/dev/null", path];
  return ["--perms", "0444", "--ro-bind-data", String(files.addText(emptySettings(path))), path];
}

/** The DNS resolver, and the system of NixOS. */
function ofRun(): string[] {
  const resolver = attempt(() => realpathSync("/etc/resolv.conf"));
  return ["/run/current-system", "/run/booted-system", resolver ?? ""].filter((path) =>
    path.startsWith("/run/"),
  );
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function words(text: string): string[] {
  return text.split(" ");
}

/** By suffix, because programs would reject an empty file. */
const EMPTY_SETTINGS: readonly (readonly [end: string, text: string])[] = [
  ["/.m2/settings.xml", "<settings/>\n"],
  ["/.m2/settings-security.xml", "<settingsSecurity/>\n"],
  [".json", "{}\n"],
];

function emptySettings(path: string): string {
  return EMPTY_SETTINGS.find(([end]) => path.endsWith(end))?.[1] ?? "";
}
