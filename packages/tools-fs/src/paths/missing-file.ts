import type { FileSystem, HaftError } from "@haft/plugin-sdk";
import { withoutUndefined, nearestNames } from "@haft/utils";
import { foldTypography } from "../content/confusables.ts";
import { fileToolError } from "../errors.ts";
import { findMeantPath } from "./other-notations.ts";
import { printablePath, visiblePath } from "./path-text.ts";

const MOST_SUGGESTIONS = 3;

type Substitute = { kind: "variant"; path: string } | { kind: "none"; error: HaftError };

/**
 * Uses a unique name with only invisible differences (Unicode normalization, curly quotes, special spaces). Other similar names are only
 * suggested.
 */
export async function findSubstitute(fs: FileSystem, path: string): Promise<Substitute> {
  const { folder, missing, rest } = await deepestFolder(fs, path);
  const names = await namesIn(fs, folder);
  if (rest.length > 0 && names.includes(missing))
    return {
      kind: "none",
      error: notFound(path, [], `${printablePath(join(folder, missing))} is not a folder`),
    };
  const wanted = foldTypography(missing);
  const variants = names.filter((name) => foldTypography(name) === wanted);
  if (variants.length === 1) {
    const found = join(folder, variants[0] as string, ...rest);
    if (rest.length === 0 || (await fs.stat(found)) !== undefined) return { kind: "variant", path: found };
  }
  if (variants.length > 1)
    return {
      kind: "none",
      error: ambiguous(
        path,
        variants.map((name) => join(folder, name)),
      ),
    };
  const meant = await findMeantPath(fs, path);
  if (meant !== undefined)
    return { kind: "none", error: notFound(path, [meant.path], `it is written ${meant.notation}`) };
  const near = nearestNames(missing, names.toSorted(), MOST_SUGGESTIONS).map((name) =>
    join(folder, name, ...rest),
  );
  return {
    kind: "none",
    error: notFound(
      path,
      near,
      rest.length > 0 ? `${printablePath(join(folder, missing))} does not exist` : undefined,
    ),
  };
}

/** Formats a suggestion so that it differs visibly from the requested path. */
export function disambiguatePath(requested: string, suggested: string): string {
  return foldTypography(requested) === foldTypography(suggested)
    ? visiblePath(suggested)
    : printablePath(suggested);
}

async function deepestFolder(
  fs: FileSystem,
  path: string,
): Promise<{ folder: string; missing: string; rest: string[] }> {
  const parts = path.replace(/\/+$/, "").split("/");
  const rest: string[] = [];
  for (;;) {
    const missing = parts.pop() ?? "";
    const folder = parts.length === 0 ? "." : parts.join("/") || "/";
    if (parts.length === 0 || (await fs.stat(folder))?.type === "directory") return { folder, missing, rest };
    rest.unshift(missing);
  }
}

async function namesIn(fs: FileSystem, folder: string): Promise<string[]> {
  try {
    return (await fs.list(folder)).entries.map((entry) => entry.name);
  } catch {
    // Suggestions are optional, so their errors are ignored.
    return [];
  }
}

function join(folder: string, ...names: string[]): string {
  const tail = names.join("/");
  if (folder === ".") return tail;
  return folder.endsWith("/") ? folder + tail : `${folder}/${tail}`;
}

function ambiguous(path: string, candidates: string[]): HaftError {
  const message = `No file ${printablePath(path)}, but several whose names look the same.`;
  const fix = `Use one of these exactly: ${candidates.map(visiblePath).join(", ")}.`;
  return fileToolError("AMBIGUOUS_PATH", message, { fix, details: { path, candidates } });
}

function notFound(path: string, suggestions: string[], why: string | undefined): HaftError {
  const where = why === undefined ? "" : ` (${why})`;
  return fileToolError("FILE_NOT_FOUND", `File not found: ${printablePath(path)}${where}.`, {
    fix:
      suggestions.length > 0
        ? `Did you mean ${suggestions.map((name) => disambiguatePath(path, name)).join(" or ")}?`
        : "Check the path; it is relative to the workspace root.",
    details: withoutUndefined({ path, suggestions, why }),
  });
}
