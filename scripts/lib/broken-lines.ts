import { parseSync } from "rolldown/utils";

/** Characters of a line, where what is in it lets it end: Node prints the line that threw. */
const LINE = 400;

const BEYOND_ASCII = /[^\0-\x7F]/g;

type Node = Readonly<Record<string, unknown>> & { type: string; start: number };

/**
 * Code that was made small, in lines that are not too long. Of ASCII alone, unless a template that is read raw has more: with one
 * other character the engine keeps two bytes for each of the whole file.
 *
 * @throws for code that is none
 */
export function brokenLines(path: string, code: string): string {
  const { program, errors } = parseSync(path, code);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]!.message}`);
  const nodes = [...nodesIn(program)];
  let begun = 0;
  let lines = "";
  for (const start of [...new Set(nodes.flatMap(startsOf))].toSorted((one, other) => one - other)) {
    if (start - begun < LINE) continue;
    lines += `${code.slice(begun, start)}\n`;
    begun = start;
  }
  lines += code.slice(begun);
  return nodes.some(isReadRaw) ? lines : lines.replaceAll(BEYOND_ASCII, escaped);
}

function* nodesIn(tree: unknown): Generator<Node> {
  const waiting: unknown[] = [tree];
  while (waiting.length > 0) {
    const at = waiting.pop();
    if (typeof at !== "object" || at === null) continue;
    waiting.push(...Object.values(at));
    if ("type" in at && "start" in at) yield at as Node;
  }
}

/** Where a line may begin: what stands before these is no word that a line would end. */
function startsOf(node: Node): number[] {
  const others = BEHIND_A_MARK[node.type]?.flatMap((key) => {
    const all = node[key] as Node | (Node | null)[];
    return Array.isArray(all) ? all.slice(1) : [all];
  });
  // Arrays have holes.
  const behind = (others ?? []).flatMap((each) => (each === null ? [] : [each.start]));
  return BEGINS.test(node.type) ? [node.start, ...behind] : behind;
}

const BEGINS =
  /^(?:\w+Statement|\w+Declaration|VariableDeclarator|Property|MethodDefinition|PropertyDefinition|SwitchCase|(?:Ex|Im)portSpecifier)$/;

/** What of a node stands behind a comma, or another mark; of lists all but the first. */
const BEHIND_A_MARK: Readonly<Record<string, readonly string[]>> = {
  SequenceExpression: ["expressions"],
  ArrayExpression: ["elements"],
  CallExpression: ["arguments"],
  NewExpression: ["arguments"],
  LogicalExpression: ["right"],
  ConditionalExpression: ["consequent", "alternate"],
};

function isReadRaw({ type, quasi }: Node): boolean {
  return type === "TaggedTemplateExpression" && JSON.stringify(quasi).search(BEYOND_ASCII) >= 0;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
