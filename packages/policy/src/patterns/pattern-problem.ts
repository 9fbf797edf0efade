/** Describes why a pattern is invalid or can never match, and similar valid patterns, nearest first. */
export interface PatternProblem {
  readonly message: string;
  readonly nearest?: readonly string[] | undefined;
}

/** Checks all kinds of patterns, for example for copied quotes. */
export function textProblem(pattern: string): PatternProblem | undefined {
  const shown = JSON.stringify(pattern);
  if (hasInvisible(pattern)) {
    return { message: `${shown} has an invisible character; write the pattern again.` };
  }
  if (/^(["'`]).*\1$/s.test(pattern)) {
    const message = `${shown} is in quotes, which would belong to the pattern; leave them out.`;
    return { message, nearest: [pattern.slice(1, -1)].filter(Boolean) };
  }
  const glued = /(?<!\\),(?:path|host|node|arg|command):/.exec(pattern);
  if (glued) {
    const nearest = [`${pattern.slice(0, glued.index + 1)} ${pattern.slice(glued.index + 1)}`];
    return { message: `${shown}: separate two conditions with a comma and a space.`, nearest };
  }
  if (isUnbalanced(pattern)) {
    return { message: `${shown} has an unmatched parenthesis; \\( and \\) mean the characters.` };
  }
  return undefined;
}

function isUnbalanced(pattern: string): boolean {
  let open = 0;
  for (const [parenthesis] of pattern.matchAll(/(?<!\\)[()]/g)) {
    open += parenthesis === "(" ? 1 : -1;
    if (open < 0) return true;
  }
  return open > 0;
}

/** Detects characters that are invisible or look like a space, except joiners. */
export function hasInvisible(text: string): boolean {
  return /[\p{Cc}\u00a0\u00ad\u1680\u2000-\u200b\u200e\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]/u.test(
    text,
  );
}
