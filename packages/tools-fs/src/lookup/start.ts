import { type FileStat, type FileSystem, type CallPlan, HaftError, type Workspace } from "@haft/plugin-sdk";
import { fileToolError } from "../errors.ts";
import { findSubstitute } from "../paths/missing-file.ts";
import { printablePath, visiblePath } from "../paths/path-text.ts";
import { planPaths } from "../paths/planned-paths.ts";

export async function requireLookupStart(fs: FileSystem, path: string): Promise<FileStat> {
  const stat = await fs.stat(path);
  if (stat !== undefined) return stat;
  const substitute = await findSubstitute(fs, path);
  if (substitute.kind === "none") throw substitute.error;
  throw fileToolError("FILE_NOT_FOUND", `Nothing at ${printablePath(path)}.`, {
    fix: `Use ${visiblePath(substitute.path)}, whose name looks the same.`,
    details: { path, suggestions: [substitute.path] },
  });
}

const KINDS: Readonly<Record<FileStat["type"], string>> = {
  file: "a file",
  directory: "a directory",
  symlink: "a symbolic link",
  other: "a device, a pipe or a socket",
};

export async function requireFolder(fs: FileSystem, path: string): Promise<void> {
  const { type } = await requireLookupStart(fs, path);
  if (type === "directory") return;
  throw fileToolError("NOT_A_DIRECTORY", `${printablePath(path)} is ${KINDS[type]}, not a directory.`, {
    fix: type === "file" ? "Use read to see it." : "Name a directory.",
    details: { path, type },
  });
}

export async function planLookup(
  workspace: Workspace,
  start: () => string | Promise<string>,
): Promise<CallPlan> {
  let path: string;
  try {
    path = await start();
  } catch (thrown) {
    if (!HaftError.is(thrown)) throw thrown;
    // The call reports the error.
    return {};
  }
  const { type } = (await workspace.fs.stat(path).catch(() => undefined)) ?? {};
  const wanted = { path, access: "read", recursive: type !== "file" } as const;
  return planPaths(workspace, [wanted]);
}
