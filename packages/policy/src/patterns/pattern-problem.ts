/** Why a pattern is none, or could never match; and what was probably meant, nearest first. */
export interface PatternProblem {
  readonly message: string;
  readonly nearest?: readonly string[] | undefined;
}

/** What is wrong with a pattern of any kind as a text, such as signs that come with copying. */
export function textProblem(pattern: string): PatternProblem | undefined {
  const shown = JSON.stringify(pattern);
  if (hasInvisible(pattern)) {
    return { message: `${shown} has a character that cannot be seen; write the pattern anew.` };
  }
  if (/^(["'`]).*\1$/s.test(pattern)) {
    const message = `${shown} stands in quotes, which would be part of it; leave them out.`;
    return { message, nearest: [pattern.slice(1, -1)].filter(Boolean) };
  }
  const glued = /(?<!\\),(?:path|host|node|arg|command):/.exec(pattern);
  if (glued) {
    const nearest = [`${pattern.slice(0, glued.index + 1)} ${pattern.slice(glued.index + 1)}`];
    return { message: `${shown}: a comma and a space stand between two conditions.`, nearest };
  }
  if (isUnbalanced(pattern)) {
    return { message: `${shown} has a parenthesis without its other half; \\( and \\) mean the characters.` };
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

/** Characters nobody sees, or takes for a space. Joiners, which some scripts need, are none of them. */
export function hasInvisible(text: string): boolean {
  return /[\p{Cc}\u00a0\u00ad\u1680\u2000-\u200b\u200e\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]/u.test(
    text,
  );
}
