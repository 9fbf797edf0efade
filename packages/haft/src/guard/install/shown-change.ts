/** The lines that a change takes away and adds, without those around them: settings have secrets in them. */
export function shownChange(before: string | undefined, after: string | undefined): string[] {
  const [was, is] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < was.length && start < is.length && was[start] === is[start]) start++;
  let end = 0;
  while (end < was.length - start && end < is.length - start && was.at(-1 - end) === is.at(-1 - end)) end++;
  return [
    `@@ line ${start + 1}`,
    ...was.slice(start, was.length - end).map((line) => `-${line}`),
    ...is.slice(start, is.length - end).map((line) => `+${line}`),
  ];
}

function linesOf(text = ""): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split(/\r?\n/);
}
