import { parseSync } from "oxc-parser";

/**
 * Adds comparisons: `sum(1, 2); // => 3` fails unless the statement before the comment has this value. The
 * statement is an expression or one constant's declaration; the expected expression is compared deeply.
 *
 * @throws without such a statement before the comment
 */
export function withComparisons(code: string): string {
  const { program, comments } = parseSync("example.ts", code);
  let made = code;
  let count = 0;
  // Backwards, so that earlier offsets stay valid.
  for (const { value, start } of comments.toReversed()) {
    const expected = /^ => (.+)$/.exec(value)?.[1];
    if (expected === undefined) continue;
    count += 1;
    const statement = program.body.findLast(({ end }) => end <= start);
    if (statement === undefined || /\S/.test(code.slice(statement.end, start)))
      throw new Error(`no statement ends in front of // => ${expected}`);
    const before = made.slice(0, statement.start);
    const after = made.slice(start);
    const constant = statement.type === "VariableDeclaration" ? statement.declarations[0]?.id : undefined;
    if (statement.type === "ExpressionStatement") {
      const { expression } = statement;
      const actual = code.slice(expression.start, expression.end);
      made = `${before}haftCompare(${actual}, ${expected});${after}`;
    } else if (constant?.type === "Identifier") {
      made = `${before}${code.slice(statement.start, statement.end)} haftCompare(${constant.name}, ${expected});${after}`;
    } else throw new Error(`// => ${expected} is behind a statement that has no value`);
  }
  return count === 0 ? code : `${made}import { deepStrictEqual as haftCompare } from "node:assert";\n`;
}
