import { constants } from "node:os";
import { parseSync } from "oxc-parser";

/**
 * What one place in the code says about a code. Only the place that makes the error knows more
 * than the code itself.
 * @typedef {{ code: string, line: number, category?: string, message?: string, fix?: string }} Mention
 */

const upperSnake = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/;
const upperWord = /^[A-Z][A-Z0-9_]{3,}$/;

/** Strings that look like codes of Haft but are names of others: of signals, errnos, variables. */
function isForeign(word) {
  if (word in constants.errno || word in constants.signals) return true;
  return /^(ANTHROPIC|ERR|FORCE|HAFT|LC|NATS|NO|NODE|O|OPENAI|S|SSH|UV|XDG)_/.test(word);
}

/**
 * Finds every error code a source file mentions: the first argument of `new HaftError(…)`, every
 * string in UPPER_SNAKE case, and single upper-case words where only a code can stand: as a value
 * named `code`, or as the second argument of a builder of outcomes (`cancelled(call, "CANCELLED", …)`).
 * @param {string} source TypeScript.
 * @returns {Mention[]}
 */
export function findErrorCodes(source) {
  const mentions = [];
  const add = (node, facts = {}) => {
    const code = textOf(node);
    if (!upperWord.test(code ?? "") || isForeign(code)) return;
    mentions.push({ code, line: source.slice(0, node.start).split("\n").length, ...facts });
  };
  walk(parseSync("source.ts", source).program, (node) => {
    if (node.type === "NewExpression" && node.callee.name === "HaftError") {
      add(node.arguments[0], factsOf(node.arguments));
    } else if (node.type === "CallExpression" && node.callee.type === "Identifier") {
      if (node.arguments.length > 1) add(node.arguments[1]);
    } else if (node.type === "Property" && /^code$|Code$/.test(node.key.name)) {
      add(node.value);
    } else if (node.type === "Literal" && upperSnake.test(node.value)) {
      add(node);
    }
  });
  return mentions;
}

function factsOf([, message, options]) {
  const given = new Map((options?.properties ?? []).map((property) => [property.key?.name, property.value]));
  const facts = {
    category: textOf(given.get("category")),
    message: textOf(message),
    fix: textOf(given.get("fix")),
  };
  return Object.fromEntries(Object.entries(facts).filter(([, text]) => text !== undefined));
}

/** The text of a string or template; what is filled in at run time becomes an ellipsis. */
function textOf(node) {
  if (node?.type === "Literal" && typeof node.value === "string") return node.value;
  if (node?.type === "TemplateLiteral") return node.quasis.map(({ value }) => value.cooked).join("…");
  return undefined;
}

function walk(node, visit) {
  if (node === null || typeof node !== "object") return;
  if (typeof node.type === "string") visit(node);
  for (const child of Object.values(node)) walk(child, visit);
}
