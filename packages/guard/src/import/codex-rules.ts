import type { RuleSource } from "./policy-draft.ts";

/** Each word has alternatives. */
export interface PrefixRule {
  words: readonly (readonly string[])[];
  decision: "allow" | "prompt" | "forbidden";
  from: RuleSource;
}

const DECISIONS = ["allow", "prompt", "forbidden"] as const;
const TOKEN = /\s+|#[^\n]*|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[A-Za-z_]\w*|[[\](),=])/y;

/** Reports other content in `unread`. */
export function prefixRules(text: string, file: string): { rules: PrefixRule[]; unread: RuleSource[] } {
  const rules: PrefixRule[] = [];
  const unread: RuleSource[] = [];
  for (const { 0: whole, index } of text.matchAll(/^\S[^\n]*(?:\n(?![A-Za-z_#])[^\n]*)*/gm)) {
    if (whole.startsWith("#")) continue;
    const from = {
      file,
      line: text.slice(0, index).split("\n").length,
      text: whole.replaceAll(/\s+/g, " ").trim(),
    };
    const rule = readRule(whole);
    if (rule === undefined) unread.push(from);
    else rules.push({ ...rule, from });
  }
  return { rules, unread };
}

function readRule(text: string): Omit<PrefixRule, "from"> | undefined {
  const tokens = tokensOf(text);
  if (tokens?.[0] !== "prefix_rule" || tokens[1] !== "(") return undefined;
  const given = new Map<string, unknown>();
  let at = 2;
  while (tokens[at] !== ")") {
    const name = tokens[at];
    if (name === undefined || !/^\w+$/.test(name) || tokens[at + 1] !== "=") return undefined;
    const value = readValue(tokens, at + 2);
    if (value === undefined || given.has(name)) return undefined;
    given.set(name, value.value);
    at = value.next;
    if (tokens[at] === ",") at++;
    else if (tokens[at] !== ")") return undefined;
  }
  if (at !== tokens.length - 1) return undefined;
  const { pattern, decision = "allow" } = Object.fromEntries(given) as {
    pattern?: unknown;
    decision?: unknown;
  };
  const known = DECISIONS.find((each) => each === decision);
  if (known === undefined || !Array.isArray(pattern) || pattern.length === 0) return undefined;
  const words = pattern.map((word: unknown) => (Array.isArray(word) ? word : [word]) as unknown[]);
  const areTexts = words.every((each) => each.length > 0 && each.every((word) => typeof word === "string"));
  return areTexts ? { words: words as string[][], decision: known } : undefined;
}

function tokensOf(text: string): string[] | undefined {
  const tokens: string[] = [];
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    if (found === null) return undefined;
    if (found[1] !== undefined) tokens.push(found[1]);
  }
  return tokens;
}

function readValue(tokens: readonly string[], at: number): { value: unknown; next: number } | undefined {
  const token = tokens[at] ?? "";
  if (/^["']/.test(token)) {
    const inner = token.slice(1, -1);
    // Other escapes differ between the languages.
    return /\\[^\\"']/.test(inner) ? undefined : { value: inner.replaceAll(/\\(.)/g, "$1"), next: at + 1 };
  }
  if (token !== "[") return undefined;
  const list: unknown[] = [];
  let next = at + 1;
  while (tokens[next] !== "]") {
    const item = readValue(tokens, next);
    if (item === undefined) return undefined;
    list.push(item.value);
    next = item.next;
    if (tokens[next] === ",") next++;
    else if (tokens[next] !== "]") return undefined;
  }
  return { value: list, next: next + 1 };
}
