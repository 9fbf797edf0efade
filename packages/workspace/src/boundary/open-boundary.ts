import { isWithin } from "@haft/system";
import { homedir } from "node:os";
import { CREDENTIAL_PATTERNS } from "./credential-patterns.ts";
import { createDenyList, type DenyList } from "./deny.ts";
import type { HardLinkPolicy, ReadBoundary } from "./host.ts";
import { createMountTable, WHOLE_HOST } from "./mounts.ts";
import type { Folders } from "./walk/folders.ts";
import { createWalk } from "./walk/walk.ts";

/** Contains plain data, so a thread can open the same boundary. The fields are those of `HostWorkspaceOptions`. */
export interface BoundaryOptions {
  root: string;
  rootAccess?: "ro" | "rw";
  roots?: Readonly<Record<string, { path: string; access: "ro" | "rw" }>>;
  workspaceOnly?: boolean;
  deny?: readonly string[];
  credentials?: readonly string[];
  closed?: readonly string[];
  hardLinks?: HardLinkPolicy;
  homeDir?: string;
  /** Adds read-only roots, by name. */
  added: Readonly<Record<string, string>>;
}

/** @throws HaftError `ROOT_INVALID`, `INVALID_OPTIONS` */
export function openBoundary(options: BoundaryOptions, folders: Folders): ReadBoundary {
  const { added, hardLinks = "packages", homeDir: home = homedir() } = options;
  const table = createMountTable({
    root: options.root,
    rootAccess: options.rootAccess ?? "rw",
    roots: { ...options.roots, ...readOnlyRoots(added) },
    wholeHost: options.workspaceOnly === false,
    home,
  });
  const named = table.mounts.filter(({ name }) => name !== WHOLE_HOST);
  const context = { root: table.mounts[0]!.path, home, roots: named.map(({ path }) => path) };
  const patterns = [...(options.credentials ?? CREDENTIAL_PATTERNS), ...(options.deny ?? [])];
  const deny = withClosed(
    createDenyList(patterns, context),
    createDenyList(options.closed ?? [], context),
    named.filter(({ name }) => name in added).map(({ path }) => path),
  );
  const walk = createWalk({ table, folders, deny, home });
  return { walk, folders, table, deny, hardLinks, home };
}

function readOnlyRoots(added: Readonly<Record<string, string>>): NonNullable<BoundaryOptions["roots"]> {
  return Object.fromEntries(Object.entries(added).map(([name, path]) => [name, { path, access: "ro" }]));
}

function withClosed(deny: DenyList, closed: DenyList, opened: readonly string[]): DenyList {
  const isClosed = (path: string) => closed.denies(path) && !opened.some((root) => isWithin(path, root));
  return {
    denies: (path) => deny.denies(path) || isClosed(path),
    pins: (path) => deny.pins(path) || closed.pins(path),
  };
}
