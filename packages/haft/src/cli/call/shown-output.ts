/** Characters of each end, more than any result contains. */
const MAX = 256 * 1024;

/** Recognizes printed output in a result. */
export class ShownOutput {
  #head = "";
  #tail = "";

  get isEmpty(): boolean {
    return this.#head === "";
  }

  add(text: string): void {
    const room = MAX - this.#head.length;
    this.#head += text.slice(0, room);
    this.#tail += text;
    // Slicing copies the string.
    if (this.#tail.length > 2 * MAX) this.#tail = this.#tail.slice(-MAX);
  }

  /** Returns the unprinted part of a result, which contains all output, or both ends around a notice. */
  getRemainder(result: string): string {
    if (this.isEmpty) return result;
    // An error's text starts on the line of the prefix.
    const lines = result.replace(/^Error: /, "Error:\n").split("\n");
    const output = this.#head.trimEnd().split("\n");
    const first = runFrom(lines, output);
    const isWhole = first.end - first.start === output.length && this.#head === this.#tail;
    const nothing = { start: first.end, end: first.end };
    const last = isWhole ? nothing : runTo(lines, this.#tail.trimEnd().split("\n"), first.end);
    const rest = [
      ...lines.slice(0, first.start),
      ...lines.slice(first.end, last.start),
      ...lines.slice(last.end),
    ];
    return rest
      .filter((line) => !isHint(line))
      .join("\n")
      .trim()
      .replaceAll(/\n{3,}/g, "\n\n")
      .replace(/^Error:\n+/, "Error: ");
  }
}

interface Run {
  start: number;
  end: number;
}

function runFrom(lines: readonly string[], output: readonly string[]): Run {
  let best: Run = { start: 0, end: 0 };
  for (let start = 0; start < lines.length; start++) {
    let length = 0;
    while (
      length < output.length &&
      start + length < lines.length &&
      lines[start + length] === output[length]
    )
      length++;
    if (length > best.end - best.start) best = { start, end: start + length };
  }
  return best;
}

function runTo(lines: readonly string[], output: readonly string[], from: number): Run {
  let best: Run = { start: from, end: from };
  for (let end = lines.length; end > from; end--) {
    let length = 0;
    while (
      length < output.length &&
      end - length > from &&
      lines[end - length - 1] === output[output.length - length - 1]
    )
      length++;
    if (length > best.end - best.start) best = { start: end - length, end };
  }
  return best;
}

function isHint(line: string): boolean {
  return /^\[… .* left out.* …\]$|^\[All of it: process /.test(line);
}
