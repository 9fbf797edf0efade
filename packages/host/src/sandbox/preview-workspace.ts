import { findProtectedPaths, type GuardedPaths } from "@haft/config/internal/boundary";
import type { FileIdentity, FileStat, FileSystem, Processes, Workspace } from "@haft/core";
import { changesFiles, mapFileSystem, mapProcesses } from "@haft/core/internal";
import type { SandboxSpec, SandboxMount } from "@haft/sandbox";
import { withoutUndefined } from "@haft/utils";
import { createHostWorkspace } from "@haft/workspace";
import { escapeGlob, READ_ONLY_PATTERNS } from "@haft/workspace/internal/boundary";
import { posix } from "node:path";
import { hostError } from "../errors.ts";
import { WORKSPACE_IN_SANDBOX } from "./sandbox-spec.ts";

/**
 * Previews a sandboxed workspace: paths as inside, files of the mounts, and programs of the host. It opens
 * and changes nothing.
 */
export function previewWorkspace(
  spec: SandboxSpec,
  programs: () => Processes,
  guarded: GuardedPaths = {},
): Workspace {
  const mounts = spec.mounts.map(({ name, path, access }) => ({ name, path, access }));
  if (spec.workspace === "none") mounts.unshift({ name: "", path: WORKSPACE_IN_SANDBOX, access: "rw" });
  const toHost = (path: string) => translate(path, spec.mounts, "path", "hostPath");
  const toInside = (path: string) => translate(path, spec.mounts, "hostPath", "path");
  const files = spec.workspace === "none" ? emptyFiles() : mountedFiles(spec, guarded, toHost, toInside);
  const workspace: Workspace = {
    fs: files,
    withConsent: () => workspace,
    describe: () => ({ target: "sandbox", cwd: mounts[0]!.path, mounts, boundary: "kernel" }),
    processes: {
      ...mapProcesses(refuse),
      info: async () => undefined,
      list: async () => [],
      async identify(names, { cwd, ...where }) {
        const folder = cwd === undefined || spec.workspace === "none" ? undefined : toHost(cwd);
        const onHost = names.map((one) =>
          spec.workspace === "none" ? one : { ...one, name: toHost(one.name) },
        );
        const found = await programs().identify(onHost, withoutUndefined({ ...where, cwd: folder }));
        const inside = spec.workspace === "none" ? posix.resolve(WORKSPACE_IN_SANDBOX, cwd ?? "") : undefined;
        const translated = (one: FileIdentity, path = toInside(one.path), real = toInside(one.realPath)) => ({
          ...one,
          path,
          realPath: real,
        });
        return {
          ...found,
          cwd: translated(found.cwd, inside, inside),
          files: found.files.map((one) => one && translated(one)),
        };
      },
    },
  };
  return workspace;
}

function translate(
  path: string,
  mounts: readonly SandboxMount[],
  from: "path" | "hostPath",
  to: "path" | "hostPath",
): string {
  const absolute = path.replace(/^file:\/\/(?=\/)/, "");
  const holding = mounts
    .filter((mount) => absolute === mount[from] || absolute.startsWith(`${mount[from]}/`))
    .toSorted((one, other) => other[from].length - one[from].length)[0];
  return holding === undefined ? path : holding[to] + absolute.slice(holding[from].length);
}

function mountedFiles(
  spec: SandboxSpec,
  guarded: GuardedPaths,
  toHost: (path: string) => string,
  toInside: (path: string) => string,
): FileSystem {
  const [main, ...others] = spec.mounts;
  const held = findProtectedPaths(spec, guarded).filter(({ access }) => access === "ro");
  const { fs } = createHostWorkspace({
    root: main!.hostPath,
    rootAccess: main!.access,
    roots: Object.fromEntries(others.map(({ name, hostPath, access }) => [name, { path: hostPath, access }])),
    hardLinks: "allow",
    readOnly: [...READ_ONLY_PATTERNS, ...held.map(({ hostPath }) => escapeGlob(hostPath))],
    startFiles: [],
    ...(guarded.projectSettings && { projectSettings: guarded.projectSettings }),
  });
  const mapped = mapFileSystem((operation) => (changesFiles(operation) ? refuse() : fs), toHost);
  // A scan of the host would use its outer ignore rules.
  return {
    ...mapped,
    scan: async () => undefined,
    realpath: async (path) => toInside(await mapped.realpath(path)),
  };
}

function emptyFiles(): FileSystem {
  const inside = (path: string) => {
    const absolute = posix.resolve(WORKSPACE_IN_SANDBOX, path);
    if (absolute === WORKSPACE_IN_SANDBOX || absolute.startsWith(`${WORKSPACE_IN_SANDBOX}/`)) return absolute;
    throw hostError("OUTSIDE_WORKSPACE", `${JSON.stringify(path)} is outside of the workspace.`, {
      fix: `Name a path in ${WORKSPACE_IN_SANDBOX}.`,
      details: { path },
    });
  };
  return {
    // Ends a search for an existing folder here.
    stat: async (path) => (inside(path) === WORKSPACE_IN_SANDBOX ? EMPTY_FOLDER : undefined),
    realpath: async (path) => inside(path),
    check: async (path) => void inside(path),
    list: async () => ({ entries: [], truncated: false }),
    async read(path) {
      throw hostError("FILE_NOT_FOUND", `There is no file ${inside(path)}: the sandbox begins empty.`, {
        fix: "Mount the workspace with workspaceAccess ro or rw.",
        details: { path },
      });
    },
    write: refuse,
    append: refuse,
    mkdirp: refuse,
    remove: refuse,
    rename: refuse,
  };
}

const EMPTY_FOLDER: FileStat = {
  type: "directory",
  size: 0,
  mode: 0o700,
  mtimeMs: 0,
  version: "empty",
  links: 2,
};

const refuse = async (): Promise<never> => {
  throw hostError("PREVIEW_ONLY", "A preview is read-only: it opens no sandbox.");
};
