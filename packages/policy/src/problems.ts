import { HaftError } from "@haft/core";

/** One thing wrong with a policy file. */
export interface PolicyProblem {
  /** Where it stands, e.g. `sessions.group.deny[0]`; empty for the file itself. */
  path: string;
  message: string;
  /** What was probably meant, nearest first. */
  nearest?: readonly string[];
}

/** Keys from the root of the configuration, e.g. `["sessions", "group"]`. */
export type KeyPath = readonly (string | number)[];

/** `sessions.group.deny[0]`; keys that are no plain words are quoted. */
export function formatPath(path: KeyPath): string {
  let text = "";
  for (const key of path) {
    if (typeof key === "number") text += `[${key}]`;
    else if (/^[A-Za-z_][\w-]*$/.test(key)) text += text === "" ? key : `.${key}`;
    else text += `[${JSON.stringify(key)}]`;
  }
  return text;
}

/** The error for a policy that cannot be used: `POLICY_INVALID`, with every problem in its details. */
export function policyInvalid(source: string, problems: readonly PolicyProblem[]): HaftError {
  const lines = problems.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  const head = problems.length === 1 ? `${source} is not a valid policy` : `${source} has ${problems.length} problems`;
  const suggestion = problems.find(({ nearest }) => nearest && nearest.length > 0);
  return new HaftError("POLICY_INVALID", `${head}: ${lines.join(" ")}`, {
    category: "policy",
    fix: suggestion
      ? `Did you mean ${JSON.stringify(suggestion.nearest![0])} in ${suggestion.path || "the policy"}?`
      : `Correct ${problems[0]!.path || "the policy"}; a policy with a problem is never used.`,
    details: { source, problems: problems.map((problem) => ({ ...problem })) },
  });
}
