import type { IssueReport } from "./issues.ts";

/** Reports all issues if a report is given; otherwise stops at the first failure. */
export type Check = (value: unknown, report: IssueReport | undefined) => boolean;

export type CompileSubschema = (schema: unknown, at: string) => Check;

export const acceptAny: Check = () => true;

export function combineChecks(checks: readonly Check[]): Check {
  const [first, second] = checks;
  if (first === undefined) return acceptAny;
  if (second === undefined) return first;
  if (checks.length === 2) return (value, report) => first(value, report) && second(value, report);
  return (value, report) => checks.every((check) => check(value, report));
}

export function checkAt(
  check: Check,
  value: unknown,
  at: string | number,
  report: IssueReport | undefined,
): boolean {
  if (report === undefined) return check(value, undefined);
  report.enter(at);
  const ok = check(value, report);
  report.leave();
  return ok;
}
