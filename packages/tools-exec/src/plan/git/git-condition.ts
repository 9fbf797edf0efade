import { posix } from "node:path";

interface ConditionContext {
  gitDir: string | undefined;
  home: string | undefined;
  from: string;
}

/** An unknown result counts as true, which only adds a setting to the check. */
export function findCondition(condition: string, context: ConditionContext): "true" | "false" | "unknown" {
  const [, kind = "", pattern = ""] = /^(gitdir|gitdir\/i):([^]+)$/.exec(condition) ?? [];
  if (kind === "") return "unknown";
  if (context.gitDir === undefined) return "false";
  const full = fullPattern(pattern, context);
  // Only git can interpret brackets, escapes and user names.
  if (full === undefined || /[[\]\\]/.test(full)) return "unknown";
  const expression = new RegExp(`^${toExpression(full)}$`, kind === "gitdir/i" ? "is" : "s");
  return expression.test(context.gitDir) ? "true" : "false";
}

function fullPattern(pattern: string, { home, from }: ConditionContext): string | undefined {
  const whole = pattern.endsWith("/") ? `${pattern}**` : pattern;
  if (whole.startsWith("~/")) return home === undefined ? undefined : `${home}/${whole.slice(2)}`;
  if (whole.startsWith("~")) return undefined;
  if (whole.startsWith("./")) return `${posix.dirname(from)}/${whole.slice(2)}`;
  return whole.startsWith("/") ? whole : `**/${whole}`;
}

function toExpression(pattern: string): string {
  return pattern.replaceAll(/\*\*\/|\/\*\*$|\*+|\?|[^*?/]+|\//g, (part) => {
    if (part === "**/") return "(?:.*/)?";
    if (part === "/**") return "/.*";
    if (part.startsWith("*")) return "[^/]*";
    if (part === "?") return "[^/]";
    return part.replaceAll(/[.+^${}()|]/g, String.raw`\$&`);
  });
}
