/** Start of a part of a line. */
export type InlineMark = number;

/** Text of one block, in pieces: work at its end is independent of its length. */
export class Inline {
  #parts: string[] = [];
  #endsWithSpace = true;

  /** Collapses spaces. */
  text(text: string): void {
    const flat = text.replaceAll(/[ \t\n\r\f]+/g, " ");
    const shown = this.#endsWithSpace && flat.startsWith(" ") ? flat.slice(1) : flat;
    if (shown === "") return;
    this.#parts.push(shown);
    this.#endsWithSpace = shown.endsWith(" ");
  }

  sign(sign: string): void {
    if (sign !== "") this.#parts.push(sign);
  }

  breakLine(): void {
    this.#trimEnd();
    this.#parts.push("\n");
    this.#endsWithSpace = true;
  }

  /** Emphasis must not end with a space or be empty. */
  endEmphasis(sign: string): void {
    const space = this.#trimEnd();
    if (this.#parts.at(-1) === sign) this.#parts.pop();
    else this.#parts.push(sign);
    if (space !== "") this.#parts.push(space);
    this.#endsWithSpace = space !== "";
  }

  mark(): InlineMark {
    return this.#parts.length;
  }

  wrap(from: InlineMark, wrapped: (words: string) => string): void {
    const shown = this.#parts.splice(from).join("");
    const words = shown.trim();
    if (words === "") return void this.#parts.push(shown);
    const start = shown.slice(0, shown.indexOf(words[0]!));
    this.#parts.push(start, wrapped(words), /\s$/.test(shown.slice(-1)) ? " " : "");
  }

  take(): string {
    const all = this.#parts.join("").trim();
    this.#parts = [];
    this.#endsWithSpace = true;
    return all;
  }

  #trimEnd(): string {
    let space = "";
    for (let last = this.#parts.at(-1); last !== undefined; last = this.#parts.at(-1)) {
      const trimmed = last.trimEnd();
      if (trimmed === last) break;
      space = " ";
      this.#parts.pop();
      if (trimmed !== "") this.#parts.push(trimmed);
    }
    return space;
  }
}
