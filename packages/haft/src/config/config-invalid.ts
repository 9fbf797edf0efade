import type { HaftError } from "@haft/core";
import type { PolicyProblem } from "@haft/policy";
import { hostError } from "../errors.ts";
import { formatProblem } from "./format-problem.ts";

/** The error for a configuration that cannot be used, with every problem in its details. */
export function configInvalid(file: string, problems: readonly PolicyProblem[]): HaftError {
  const lines = problems.slice(0, MOST_TOLD).map((problem) => formatProblem(file, problem));
  if (problems.length > MOST_TOLD) lines.push(`${file}: ${problems.length - MOST_TOLD} more problems.`);
  return hostError("CONFIG_INVALID", lines.join("\n"), {
    fix: "Correct the file; a configuration with a problem is not used at all. haft config check FILE tells of all of them, with --project as of a file in a workspace.",
    details: { source: file, problems: problems.map((problem) => ({ ...problem })) },
  });
}

const MOST_TOLD = 20;
