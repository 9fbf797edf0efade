import type * as Yaml from "yaml";

export interface YamlProblem {
  readonly message: string;
  readonly offset: number | undefined;
}

export const TOO_DEEP = "it is nested deeper than rules have a use for.";

export const COMMENTS = " Comments begin with #, also in JSON.";

/** Each alias searches the whole document. */
const MAX_ALIASES = 100;
const DEEPEST = 100;

/**
 * Reports values that YAML reads differently than written: the room `1034567890123456789` as 1034567890123456800, `0x10` as 16. Keys that
 * are not texts and inexact numbers need quotes. Rules must not use tags and merged maps, which change the content.
 */
export function checkYaml(
  document: Yaml.Document.Parsed,
  { isAlias, isCollection, isMap, isScalar, visit }: typeof Yaml,
): YamlProblem[] {
  const problems: YamlProblem[] = [];
  const add = (node: unknown, message: string): void => {
    problems.push({ message, offset: (node as Yaml.Node | null | undefined)?.range?.[0] });
  };
  // The parser compares every pair of keys, which takes minutes for thousands of keys.
  const addRepeated = ({ items }: Yaml.YAMLMap): void => {
    const seen = new Set<unknown>();
    for (const { key } of items) {
      if (!isScalar(key)) continue;
      if (seen.has(key.value)) add(key, "it cannot be read: Map keys must be unique.");
      seen.add(key.value);
    }
  };
  let aliases = 0;
  const { version } = document.directives.yaml;
  if (version !== "1.2") {
    add(undefined, `%YAML ${version} reads words and numbers otherwise; leave that line out.`);
    return problems;
  }
  visit(document, {
    Pair(_, { key, value }) {
      if (!isScalar(key)) add(key ?? value, "a key is a text, and no list, map or alias.");
      else if (typeof key.value !== "string") add(key, notText("the key", key));
      // YAML reads `{ // note` above a key as one long key.
      else if (/^\/[/*]/.test(key.value)) add(key, `it cannot be read as rules.${COMMENTS}`);
      else if (key.value === "<<" && key.type === "PLAIN" && (isAlias(value) || isCollection(value)))
        add(key, 'maps are not merged, so "<<" would be a name like any other; write the rules out.');
    },
    Node(at, node, above) {
      if (above.length > DEEPEST) {
        add(node, TOO_DEEP);
        return visit.BREAK;
      }
      if (isAlias(node)) {
        if (++aliases === MAX_ALIASES + 1)
          add(node, `it has more than ${MAX_ALIASES} aliases; write the rules out.`);
        return undefined;
      }
      if (isMap(node)) addRepeated(node);
      if (node.tag !== undefined)
        add(node, `the tag ${node.tag} has no meaning in rules; leave it out, and put a text in quotes.`);
      else if (at !== "key" && isScalar(node) && typeof node.value === "number" && !isExact(node.value))
        add(node, notText("it", node));
      return undefined;
    },
  });
  return problems;
}

function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

function notText(what: string, { source = "", value }: Yaml.Scalar): string {
  if (source === "") return `${what} is empty; write "" for an empty text.`;
  const same = String(value) === source ? "" : `, ${String(value)}`;
  const kind = value === null ? "as nothing" : `as a ${typeof value}${same},`;
  return `${what} ${source} is read ${kind} and not as text; put it in quotes: ${JSON.stringify(source)}.`;
}
