const CONTEXT = 3;
const NO_END = "\\ No newline at end of file";

/**
 * Returns a diff for `git apply` and `patch -p1`, with any line ends.
 *
 * @param name Relative to the folder of application.
 * @param before `undefined` without a file.
 */
export function applicableDiff(name: string, before: string | undefined, after: string): string {
  const [was, is] = [linesOf(before ?? ""), linesOf(after)];
  let start = 0;
  while (start < was.length && start < is.length && was[start] === is[start]) start++;
  let same = 0;
  const most = Math.min(was.length, is.length) - start;
  while (same < most && was.at(-1 - same) === is.at(-1 - same)) same++;
  const from = Math.max(0, start - CONTEXT);
  const behind = Math.min(CONTEXT, same);
  const body = [
    ...was.slice(from, start).map((line) => signed(" ", line)),
    ...was.slice(start, was.length - same).map((line) => signed("-", line)),
    ...is.slice(start, is.length - same).map((line) => signed("+", line)),
    ...was.slice(was.length - same, was.length - same + behind).map((line) => signed(" ", line)),
  ];
  const [oldCount, newCount] = [was.length - same + behind - from, is.length - same + behind - from];
  const names = [before === undefined ? "/dev/null" : `a/${name}`, `b/${name}`];
  return [
    `--- ${names[0]}`,
    `+++ ${names[1]}`,
    `@@ -${range(from, oldCount)} +${range(from, newCount)} @@`,
    ...body,
    "",
  ].join("\n");
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function signed(sign: string, line: string): string {
  return line.endsWith("\n") ? sign + line.slice(0, -1) : `${sign}${line}\n${NO_END}`;
}

function range(from: number, count: number): string {
  return `${count === 0 ? from : from + 1},${count}`;
}
