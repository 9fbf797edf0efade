import type { PolicyProblem } from "@haft/policy";

/** `policy.yaml:3: deny[0]: …`, as compilers write it, so that editors jump there. */
export function formatProblem(
  file: string,
  { path, line, message, severity, nearest = [] }: PolicyProblem,
): string {
  const place = line === undefined ? file : `${file}:${line}`;
  const meant =
    nearest.length > 0 ? ` Did you mean ${nearest.map((text) => JSON.stringify(text)).join(" or ")}?` : "";
  const what = severity === undefined ? "" : `${severity}: `;
  return `${place}: ${what}${path === "" ? "" : `${path}: `}${message}${meant}`;
}
