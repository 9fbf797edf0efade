import { Inline, type InlineMark } from "./inline.ts";

const HEADING = /^h([1-6])$/;
const BLOCKS = new Set(
  "address article aside blockquote body dd details dialog div dl dt fieldset figcaption figure footer form header hgroup html li main nav ol p section summary ul table caption thead tbody tfoot tr td th".split(
    " ",
  ),
);
const EMPHASIS: Readonly<Record<string, string>> = {
  strong: "**",
  b: "**",
  em: "*",
  i: "*",
  del: "~~",
  s: "~~",
};
const CODE = new Set(["code", "kbd", "samp"]);
/** Longer addresses are mostly data. */
const LONGEST_ADDRESS = 2000;
/** Maximum characters. Resolved addresses and nested quotes can multiply a page's length. */
const MAX_LENGTH = 16 * 1024 * 1024;
/** Limits the depth of quotes and lists. */
const DEEPEST = 12;

interface Preformatted {
  parts: string[];
  language: string;
  depth: number;
}

type Attributes = Readonly<Record<string, string>>;

/** Writes Markdown from tags and texts of a page in order. Accepts any input. */
export class MarkdownWriter {
  #base: string;
  readonly #blocks: string[] = [];
  /** The unfinished block. */
  readonly #line = new Inline();
  /** Next number of each open list; `undefined` for unordered lists. */
  readonly #lists: (number | undefined)[] = [];
  #quotes = 0;
  /** Sign of the item before the next block. */
  #bullet = "";
  #heading = 0;
  #code = 0;
  #link: { href: string; from: InlineMark } | undefined;
  #pre: Preformatted | undefined;
  /** Cells of the open row, each on one line. */
  #row: string[] | undefined;
  #isFirstRow = false;
  #tables = 0;
  #written = 0;

  constructor(base: string) {
    this.#base = base;
  }

  get isFull(): boolean {
    return this.#written > MAX_LENGTH;
  }

  /** Sets the base of relative addresses. */
  useBase(href: string | undefined): boolean {
    const url = href === undefined ? null : URL.parse(href, this.#base);
    if (url !== null && /^https?:$/.test(url.protocol)) this.#base = url.href;
    return href !== undefined;
  }

  /** Position between blocks, for {@link between}. */
  mark(): number {
    this.#flush();
    return this.#blocks.length;
  }

  between(from: number, to: number): string {
    return joined(this.#blocks.slice(from, to));
  }

  end(): string {
    this.#endPre();
    if (this.#row !== undefined) this.#endRow();
    this.#flush();
    return joined(this.#blocks);
  }

  open(name: string, attributes: Attributes): void {
    if (this.#pre !== undefined) return this.#openInPre(this.#pre, name, attributes);
    const level = HEADING.exec(name)?.[1];
    if (level !== undefined || BLOCKS.has(name)) {
      this.#openBlock(name);
      if (level !== undefined) this.#heading = Number(level);
    } else if (name === "br") {
      if (this.#row === undefined) this.#line.breakLine();
      else this.#line.text(" ");
    } else if (name === "hr") {
      this.#flush();
      if (this.#row === undefined) this.#push("---");
    } else if (name === "pre") {
      this.#flush();
      this.#pre = { parts: [], language: languageOf(attributes), depth: 1 };
    } else if (CODE.has(name)) {
      if (this.#code++ === 0) this.#line.sign("`");
    } else if (name === "a") {
      this.#endLink();
      const { href } = attributes;
      if (href !== undefined) this.#link = { href, from: this.#line.mark() };
    } else if (name === "img") this.#image(attributes);
    else this.#line.sign(EMPHASIS[name] ?? "");
  }

  close(name: string): void {
    if (this.#pre !== undefined) {
      if (name === "pre" && --this.#pre.depth === 0) this.#endPre();
    } else if (CODE.has(name)) {
      if (this.#code > 0 && --this.#code === 0) this.#line.endEmphasis("`");
    } else if (name === "a") this.#endLink();
    else if (HEADING.test(name) || BLOCKS.has(name)) this.#closeBlock(name);
    else if (EMPHASIS[name] !== undefined) this.#line.endEmphasis(EMPHASIS[name]);
  }

  text(text: string): void {
    if (this.#pre === undefined) this.#line.text(text);
    else this.#pre.parts.push(text);
  }

  #openBlock(name: string): void {
    if (name === "table") this.#tables++;
    if (this.#row !== undefined) return this.#line.text(" ");
    this.#flush();
    if (name === "blockquote") this.#quotes++;
    else if (name === "ul") this.#lists.push(undefined);
    else if (name === "ol") this.#lists.push(1);
    else if (name === "li") this.#bullet = this.#nextBullet();
    else if (name === "dd") this.#bullet = ": ";
    else if (name === "table") this.#isFirstRow = true;
    else if (name === "tr" && this.#tables > 0) this.#row = [];
  }

  #closeBlock(name: string): void {
    const isInner = this.#tables > 1;
    if (name === "table" && this.#tables > 0) this.#tables--;
    if (this.#row !== undefined) {
      // Inner tables become text of the outermost table's cells.
      if (isInner) this.#line.text(" ");
      else if (name === "td" || name === "th") this.#endCell();
      else if (name === "tr" || name === "table") this.#endRow();
      else this.#line.text(" ");
      return;
    }
    this.#flush();
    if (HEADING.test(name)) this.#heading = 0;
    else if (name === "blockquote") this.#quotes = Math.max(0, this.#quotes - 1);
    else if (name === "ul" || name === "ol") this.#lists.pop();
    else if (name === "li" || name === "dd") this.#bullet = "";
  }

  #nextBullet(): string {
    const number = this.#lists.at(-1);
    if (number === undefined) return "- ";
    this.#lists[this.#lists.length - 1] = number + 1;
    return `${number}. `;
  }

  #image({ alt = "", src = "" }: Attributes): void {
    const words = alt.replaceAll(/[\s[\]]+/g, " ").trim();
    const address = this.#absolute(src);
    if (words === "") return;
    if (address === undefined) this.#line.text(words);
    else this.#line.sign(`![${words}](${address})`);
  }

  #endLink(): void {
    const link = this.#link;
    this.#link = undefined;
    const address = link && this.#absolute(link.href);
    if (link !== undefined && address !== undefined)
      this.#line.wrap(link.from, (words) => `[${words.replaceAll("\n", " ")}](${address})`);
  }

  #absolute(href: string): string | undefined {
    const url = href.startsWith("#") ? null : URL.parse(href.trim(), this.#base);
    if (url === null || !/^(?:https?|mailto):$/.test(url.protocol) || url.href.length > LONGEST_ADDRESS)
      return undefined;
    this.#written += url.href.length;
    return url.href.replaceAll("(", "%28").replaceAll(")", "%29");
  }

  #endCell(): void {
    this.#endLink();
    this.#row?.push(this.#line.take().replaceAll(/\s+/g, " ").replaceAll("|", "\\|"));
  }

  #endRow(): void {
    const rest = this.#line.mark() > 0;
    if (rest) this.#endCell();
    const cells = this.#row ?? [];
    this.#row = undefined;
    if (cells.every((cell) => cell === "")) return;
    this.#push(`| ${cells.join(" | ")} |`);
    if (this.#isFirstRow) this.#push(`|${" --- |".repeat(cells.length)}`);
    this.#isFirstRow = false;
  }

  #openInPre(pre: Preformatted, name: string, attributes: Attributes): void {
    if (name === "pre") pre.depth++;
    else if (name === "br") pre.parts.push("\n");
    else if (name === "code") pre.language ||= languageOf(attributes);
  }

  #endPre(): void {
    const { parts = [], language = "" } = this.#pre ?? {};
    this.#pre = undefined;
    const code = parts.join("").replace(/^\n/, "").trimEnd();
    if (code === "") return;
    if (this.#row !== undefined) return this.#line.text(` ${code} `);
    const longest = (code.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 2);
    const fence = "`".repeat(longest + 1);
    this.#push(`${fence}${language}\n${code}\n${fence}`);
  }

  /** Ends the block. An open link continues in the next block. */
  #flush(): void {
    if (this.#row !== undefined) return;
    const link = this.#link;
    this.#endLink();
    if (this.#code > 0) this.#line.endEmphasis("`");
    this.#code = 0;
    const text = this.#line.take();
    if (link !== undefined) this.#link = { ...link, from: this.#line.mark() };
    if (text === "") return;
    this.#push(this.#heading === 0 ? text : `${"#".repeat(this.#heading)} ${text.replaceAll("\n", " ")}`);
  }

  #push(block: string): void {
    const quote = "> ".repeat(Math.min(this.#quotes, DEEPEST));
    const depth = Math.min(this.#lists.length, DEEPEST);
    const indent = "  ".repeat(this.#bullet === "" ? depth : Math.max(0, depth - 1));
    const first = `${quote}${indent}${this.#bullet}`;
    const others = `${quote}${indent}${" ".repeat(this.#bullet.length)}`;
    this.#bullet = "";
    const bare = block.split("\n");
    this.#written += block.length + bare.length * others.length;
    if (this.isFull) return;
    const lines = bare.map((line, at) => `${at === 0 ? first : others}${line}`.trimEnd());
    this.#blocks.push(lines.join("\n"));
  }
}

function languageOf({ class: names = "" }: Attributes): string {
  return /(?:^|\s)(?:language|lang|highlight-source)-([\w+#-]{1,30})/.exec(names)?.[1] ?? "";
}

/** Joins blocks with an empty line, except for items of a list and rows of a table. */
function joined(blocks: readonly string[]): string {
  return blocks
    .map((block, at) => {
      const before = blocks[at - 1];
      if (before === undefined) return block;
      const belongs = (isItem(before) && isItem(block)) || (isRow(before) && isRow(block));
      return belongs ? `\n${block}` : `\n\n${block}`;
    })
    .join("");
}

const isItem = (block: string): boolean => /^[> ]*(?:-|\d+\.) /.test(block);
const isRow = (block: string): boolean => /^[> ]*\|/.test(block);
