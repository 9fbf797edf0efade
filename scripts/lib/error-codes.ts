import { constants } from "node:os";
import { parseSync, Visitor, type Argument, type Expression } from "oxc-parser";

/** What one place in the code says about a code. Only the place that makes the error knows the rest. */
export interface Mention {
  code: string;
  line: number;
  category?: string;
  message?: string;
  fix?: string;
}

const upperSnake = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/;
const upperWord = /^[A-Z][A-Z0-9_]{3,}$/;

/** Strings that look like codes of Haft but are names of others: of signals, errnos, variables. */
function isForeign(word: string): boolean {
  if (word in constants.errno || word in constants.signals) return true;
  return /^(ANTHROPIC|ERR|FORCE|HAFT|LC|NATS|NO|NODE|O|OPENAI|S|SSH|UV|XDG)_/.test(word);
}

/**
 * Finds every error code a TypeScript file mentions: the first argument of `new HaftError(…)`,
 * every string in UPPER_SNAKE case, and single upper-case words where only a code can stand: as a
 * value named `code`, or as the second argument of a builder (`cancelled(call, "CANCELLED", …)`).
 */
export function findErrorCodes(source: string): Mention[] {
  const mentions: Mention[] = [];
  const add = (node: Argument | undefined, facts: Omit<Mention, "code" | "line"> = {}) => {
    const code = textOf(node);
    if (node === undefined || code === undefined || !upperWord.test(code) || isForeign(code)) return;
    mentions.push({ code, line: source.slice(0, node.start).split("\n").length, ...facts });
  };
  new Visitor({
    NewExpression({ callee, arguments: args }) {
      if (callee.type === "Identifier" && callee.name === "HaftError") add(args[0], factsOf(args));
    },
    CallExpression({ callee, arguments: args }) {
      if (callee.type === "Identifier") add(args[1]);
    },
    Property({ key, value }) {
      if (key.type === "Identifier" && /^code$|Code$/.test(key.name)) add(value as Expression);
    },
    Literal(node) {
      if (typeof node.value === "string" && upperSnake.test(node.value)) add(node);
    },
  }).visit(parseSync("source.ts", source).program);
  return mentions;
}

function factsOf([, message, options]: readonly Argument[]): Omit<Mention, "code" | "line"> {
  const given = new Map<string, Expression>();
  for (const property of options?.type === "ObjectExpression" ? options.properties : []) {
    if (property.type === "Property" && property.key.type === "Identifier") {
      given.set(property.key.name, property.value);
    }
  }
  const category = textOf(given.get("category"));
  const prose = textOf(message);
  const fix = textOf(given.get("fix"));
  return {
    ...(category !== undefined && { category }),
    ...(prose !== undefined && { message: prose }),
    ...(fix !== undefined && { fix }),
  };
}

/** The text of a string or template; what is filled in at run time becomes an ellipsis. */
function textOf(node: Argument | undefined): string | undefined {
  if (node?.type === "Literal" && typeof node.value === "string") return node.value;
  if (node?.type === "TemplateLiteral") return node.quasis.map(({ value }) => value.cooked).join("…");
  return undefined;
}
