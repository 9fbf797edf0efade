import type { CallSubjects } from "@haft/core";
import { escapePath } from "@haft/policy";
import { dirname } from "node:path";
import { SECRET_PATTERN, SETTINGS_PATTERN } from "./command-rule.ts";

/** `why` is the rest of a sentence. */
export type FileRule = { files: readonly string[] } | { why: string };

export function fileRule({ paths = [] }: CallSubjects): FileRule {
  if (paths.length === 0) return { why: "its files are unknown" };
  if (paths.some(({ outside }) => outside === true)) return { why: "it includes files outside the project" };
  if (paths.some(({ recursive }) => recursive === true))
    return { why: "it includes everything below a folder" };
  const files = paths.map(({ relative }) => relative);
  if (
    files.some(
      (path) => SECRET_PATTERN.test(path) || SECRET_PATTERN.test(path.slice(path.lastIndexOf("/") + 1)),
    )
  )
    return { why: "it may name a secret" };
  if (files.some((path) => SETTINGS_PATTERN.test(path) || path.startsWith(".")))
    return { why: "it names settings of agents, of a repository or of Haft" };
  return { files };
}

/** Files that suffice to propose their folder. */
const ENOUGH = 3;

/** Proposes folders of which enough files were seen, otherwise files. Never the whole project, nor a folder with a file of `never`. */
export function pathConditions(
  files: readonly string[],
  never: readonly string[],
): { text: string; covers: readonly string[]; wide: boolean }[] {
  const left = new Set(files);
  const found: { text: string; covers: readonly string[]; wide: boolean }[] = [];
  const folders = [...new Set(files.map((file) => dirname(file)))].filter((folder) => folder !== ".");
  for (const folder of folders.toSorted(
    (one, other) => depth(other) - depth(one) || (one < other ? -1 : 1),
  )) {
    const covers = [...left].filter((file) => file.startsWith(`${folder}/`));
    if (covers.length < ENOUGH || never.some((file) => file.startsWith(`${folder}/`))) continue;
    for (const file of covers) left.delete(file);
    found.push({ text: `path:${escapePath(folder)}/**`, covers, wide: true });
  }
  for (const file of left) found.push({ text: `path:${escapePath(file)}`, covers: [file], wide: false });
  return found;
}

function depth(folder: string): number {
  return folder.split("/").length;
}
