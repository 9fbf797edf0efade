import { Parser } from "htmlparser2";
import { visibleMarkup } from "../visible.ts";
import { MarkdownWriter } from "./markdown-writer.ts";

/** What is no text of the page, with everything in it. */
const SKIPPED = new Set(
  "script style noscript template svg canvas iframe object embed audio video select datalist textarea button input math map".split(
    " ",
  ),
);
/** Around the text of a page, and not of it. */
const AROUND = new Set(["nav", "footer", "aside"]);
/** Elements that have no end. */
const VOID = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
/** Characters. A main part with fewer is none: then all of the page is taken. */
const LEAST_MAIN = 200;
/** Elements inside each other. Browsers show no deeper ones, and a parser takes longer for each, the deeper it is. */
const DEEPEST = 512;

export interface Page {
  text: string;
  title?: string;
  /** It is nested so deep, or becomes so long, that the rest of it was left out. */
  isCut?: true;
}

/**
 * A page as Markdown: in one pass over its tags, so that time and memory grow with its length alone.
 *
 * @param url what its links are relative to
 * @param whole also what is around its main part
 */
export function htmlToMarkdown(html: string, url: string, whole: boolean): Page {
  const reader = new Reader(url, whole);
  const parser = new Parser(reader, { lowerCaseTags: true, lowerCaseAttributeNames: true });
  try {
    parser.end(html);
  } catch (thrown) {
    if (thrown !== TOO_MUCH) throw thrown;
  }
  return reader.page();
}

const TOO_MUCH = new Error("The page is nested too deep, or becomes too long.");

/** Which of the tags and texts of a page belong to what is read. */
class Reader {
  readonly #writer: MarkdownWriter;
  readonly #whole: boolean;
  #title: string | undefined;
  #inTitle = false;
  #hasBase = false;
  #depth = 0;
  /** How many elements deep it is in one that is left out. */
  #skipping = 0;
  readonly #main = { from: -1, to: -1, depth: 0 };

  constructor(url: string, whole: boolean) {
    this.#writer = new MarkdownWriter(url);
    this.#whole = whole;
  }

  onopentag(name: string, attributes: Record<string, string>): void {
    const isVoid = VOID.has(name);
    if ((!isVoid && ++this.#depth > DEEPEST) || this.#writer.isFull) throw TOO_MUCH;
    if (this.#skipping > 0 || this.#isLeftOut(name, attributes)) {
      if (!isVoid) this.#skipping++;
    } else if (name === "title") this.#inTitle = this.#title === undefined;
    else if (name === "base") {
      // The first one counts.
      if (!this.#hasBase) this.#hasBase = this.#writer.useBase(attributes["href"]);
    } else {
      if (name === "main" && this.#main.depth++ === 0 && this.#main.from < 0)
        this.#main.from = this.#writer.mark();
      this.#writer.open(name, attributes);
    }
  }

  ontext(text: string): void {
    if (this.#inTitle) this.#title = `${this.#title ?? ""}${text}`;
    else if (this.#skipping === 0) this.#writer.text(text);
  }

  onclosetag(name: string): void {
    const isVoid = VOID.has(name);
    if (!isVoid) this.#depth--;
    if (this.#skipping > 0) {
      if (!isVoid) this.#skipping--;
      return;
    }
    this.#inTitle = false;
    this.#writer.close(name);
    if (name === "main" && --this.#main.depth === 0 && this.#main.to < 0) this.#main.to = this.#writer.mark();
  }

  page(): Page {
    const all = this.#writer.end();
    const { from, to } = this.#main;
    const main = from < 0 ? "" : this.#writer.between(from, to < 0 ? this.#writer.mark() : to);
    // Once more: characters may be written as entities.
    const title = visibleMarkup(this.#title ?? "")
      .replaceAll(/\s+/g, " ")
      .trim();
    return {
      text: visibleMarkup(this.#whole || main.length < LEAST_MAIN ? all : main),
      ...(title && { title }),
      ...((this.#depth > DEEPEST || this.#writer.isFull) && { isCut: true as const }),
    };
  }

  #isLeftOut(name: string, attributes: Record<string, string>): boolean {
    return SKIPPED.has(name) || (!this.#whole && AROUND.has(name)) || isHidden(attributes);
  }
}

/** Nobody who looks at the page sees it. */
function isHidden({ hidden, style = "", "aria-hidden": aria }: Record<string, string>): boolean {
  return (
    hidden !== undefined ||
    aria === "true" ||
    /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style)
  );
}
