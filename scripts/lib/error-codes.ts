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

type Facts = Omit<Mention, "code" | "line">;

const upperSnake = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/;
const upperWord = /^[A-Z][A-Z0-9_]{3,}$/;

/** Strings that look like codes of Haft but are names of others: of signals, errnos, variables, libseccomp. */
function isForeign(word: string): boolean {
  if (word in constants.errno || word in constants.signals) return true;
  return /^(ANTHROPIC|DOCKER|ERR|GIT|HAFT|NODE|OPENAI|SCMP|UV|XDG)_|^SSH_AUTH_SOCK$|^(FORCE|NO)_COLOR$/.test(
    word,
  );
}

/**
 * Finds every error code a TypeScript file mentions: the first argument of `new HaftError(…)`, keys
 * of tables of errors (objects with a `category`), every string in UPPER_SNAKE case, and single
 * upper-case words where only a code can stand: as a value named `code`, or as the second argument
 * of a builder (`cancelled(call, "CANCELLED", …)`).
 */
export function findErrorCodes(source: string): Mention[] {
  const mentions: Mention[] = [];
  const addWord = (code: string, start: number, facts: Facts = {}) => {
    if (!upperWord.test(code) || isForeign(code)) return;
    mentions.push({ code, line: source.slice(0, start).split("\n").length, ...facts });
  };
  const add = (node: Argument | undefined, facts?: Facts) => {
    const code = textOf(node);
    if (node !== undefined && code !== undefined) addWord(code, node.start, facts);
  };
  new Visitor({
    NewExpression({ callee, arguments: args }) {
      if (callee.type === "Identifier" && callee.name === "HaftError") add(args[0], factsOf(args));
    },
    CallExpression({ callee, arguments: args }) {
      if (callee.type === "Identifier") add(args[1]);
    },
    Property({ key, value }) {
      if (key.type !== "Identifier") return;
      if (/^code$|Code$/.test(key.name)) add(value as Expression);
      const facts = readFacts(value as Expression);
      if (facts.category !== undefined) addWord(key.name, key.start, facts);
    },
    Literal(node) {
      if (typeof node.value === "string" && upperSnake.test(node.value)) add(node);
    },
  }).visit(parseSync("source.ts", source).program);
  return mentions;
}

/** What an object says of the error it belongs to: the options of an error, or its row in a table. */
function readFacts(options: Argument | undefined): Facts {
  if (options?.type !== "ObjectExpression") return {};
  const facts: Facts = {};
  for (const property of options.properties) {
    if (property.type !== "Property" || property.key.type !== "Identifier") continue;
    const text = textOf(property.value);
    const name = property.key.name === "why" ? "message" : property.key.name;
    const isFact = name === "category" || name === "message" || name === "fix";
    if (isFact && text !== undefined) facts[name] = text;
  }
  return facts;
}

function factsOf([, message, options]: readonly Argument[]): Facts {
  const text = textOf(message);
  return { ...readFacts(options), ...(text !== undefined && { message: text }) };
}

/** The text of a string or template; what is filled in at run time becomes an ellipsis. */
function textOf(node: Argument | undefined): string | undefined {
  if (node?.type === "Literal" && typeof node.value === "string") return node.value;
  if (node?.type === "TemplateLiteral") return node.quasis.map(({ value }) => value.cooked).join("…");
  return undefined;
}
