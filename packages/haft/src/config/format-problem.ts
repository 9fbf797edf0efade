import { didYouMean } from "@haft/core/internal";
import type { PolicyProblem } from "@haft/policy";

/** `policy.yaml:3: deny[0]: …`, as compilers write it, so that editors jump there. */
export function formatProblem(
  file: string,
  { path, line, message, severity, nearest = [], file: own = file }: PolicyProblem,
): string {
  const place = line === undefined ? own : `${own}:${line}`;
  const meant = didYouMean(nearest.map((text) => JSON.stringify(text)));
  const what = severity === undefined ? "" : `${severity}: `;
  return `${place}: ${what}${path === "" ? "" : `${path}: `}${message}${meant}`;
}
