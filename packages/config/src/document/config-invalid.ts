import type { HaftError } from "@haft/core";
import type { PolicyProblem } from "@haft/policy";
import { didYouMean } from "@haft/utils";
import { existsSync } from "node:fs";
import { configError } from "../errors.ts";

export function configInvalidError(file: string, problems: readonly PolicyProblem[]): HaftError {
  const lines = problems.slice(0, MAX_PROBLEMS).map((problem) => formatProblem(file, problem));
  if (problems.length > MAX_PROBLEMS) lines.push(`${file}: ${problems.length - MAX_PROBLEMS} more problems.`);
  return configError("CONFIG_INVALID", lines.join("\n"), {
    fix: !existsSync(file)
      ? "Correct the path, or create the file: `haft config init` writes your own configuration."
      : "Correct the file. Haft does not use a configuration with a problem. haft config check FILE lists all problems; for a file in a workspace, add --project.",
    details: { source: file, problems: problems.map((problem) => ({ ...problem })) },
  });
}

const MAX_PROBLEMS = 20;

/** Formats `policy.yaml:3: deny[0]: …`, which editors can open. */
export function formatProblem(
  file: string,
  { path, line, message, severity, nearest = [], file: problemFile = file }: PolicyProblem,
): string {
  const location = line === undefined ? problemFile : `${problemFile}:${line}`;
  const meant = didYouMean(nearest.map((text) => JSON.stringify(text)));
  const what = severity === undefined ? "" : `${severity}: `;
  return `${location}: ${what}${path === "" ? "" : `${path}: `}${message}${meant}`;
}
