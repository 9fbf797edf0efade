import { constants } from "node:os";
import { parseSync, Visitor, type Argument, type Expression } from "oxc-parser";

/** A place that names an error code. */
export interface Mention {
  code: string;
  /** `path:line` */
  location: string;
}

const upperSnake = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/;
const upperWord = /^[A-Z][A-Z0-9_]{3,}$/;

/** Excludes names of signals, errnos, variables, libseccomp, git files, and conflict kinds in the details of `PATCH_CONFLICT`. */
function isForeign(word: string): boolean {
  if (word in constants.errno || word in constants.signals) return true;
  return /^(ANTHROPIC|CLAUDE|CODEX|COPILOT|CURSOR|DOCKER|GEMINI|ERR|GIT|GOOGLE|HAFT|NPM|OPENAI|OPENCLAW|OPENCODE|OTEL|PI_CODING_AGENT|PIP|SCMP|UV|XDG)_|^NODE_(COMPILE_CACHE|ENV|EXTRA_CA_CERTS|OPTIONS|PATH)$|^SSH_AUTH_SOCK$|^(ALL|HTTPS?)_PROXY$|^(HEAD|MERGE_RR|BISECT_NAMES)$|^(FORCE|NO)_COLOR$|^HUNK_(AMBIGUOUS|NOT_FOUND|WITHOUT_CONTEXT)$|^(ALREADY_APPLIED|ANCHOR_NOT_FOUND)$/.test(
    word,
  );
}

/**
 * Finds error codes in TypeScript: UPPER_SNAKE strings, and single upper-case words in `new HaftError(…)`, a
 * catalogue's factory (`policyError("…")`), a value named `code`, or the second or third argument of a
 * builder (`cancelled(call, "CANCELLED", …)`, `failed(call, thrown, "INTERNAL")`).
 */
export function findErrorCodes(source: string, path: string): Mention[] {
  const found = new Map<number, string>();
  const add = (node: Argument | undefined) => {
    if (node?.type !== "Literal" || typeof node.value !== "string") return;
    if (upperWord.test(node.value) && !isForeign(node.value)) found.set(node.start, node.value);
  };
  new Visitor({
    NewExpression({ callee, arguments: args }) {
      if (callee.type === "Identifier" && callee.name === "HaftError") add(args[0]);
    },
    CallExpression({ callee, arguments: args }) {
      if (callee.type !== "Identifier") return;
      if (callee.name.endsWith("Error")) add(args[0]);
      else args.slice(1, 3).forEach(add);
    },
    Property({ key, value }) {
      if (key.type === "Identifier" && /^code$|Code$/.test(key.name)) add(value as Expression);
    },
    Literal(node) {
      if (typeof node.value === "string" && upperSnake.test(node.value)) add(node);
    },
  }).visit(parseSync(path, source).program);
  return [...found].map(([start, code]) => ({ code, location: `${path}:${lineAt(source, start)}` }));
}

function lineAt(source: string, offset: number): number {
  return source.slice(0, offset).split("\n").length;
}
