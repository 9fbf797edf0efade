import { Parser } from "htmlparser2";
import { visibleMarkup } from "../visible.ts";
import { MarkdownWriter } from "./markdown-writer.ts";

/** Skipped with all content. */
const SKIPPED = new Set(
  "script style noscript template svg canvas iframe object embed audio video select datalist textarea button input math map".split(
    " ",
  ),
);
/** Outside the main text. */
const AROUND = new Set(["nav", "footer", "aside"]);
const VOID = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
/** A main part with fewer characters is ignored in favour of the whole page. */
const LEAST_MAIN = 200;
/** Maximum nesting. Browsers limit it as well, and parsing slows with depth. */
const DEEPEST = 512;

export interface Page {
  text: string;
  title?: string;
  /** The depth or length limit cut the rest. */
  isCut?: true;
}

/**
 * Converts a page to Markdown in one pass, so that time and memory grow linearly.
 *
 * @param url base of the links
 * @param whole includes everything outside the main part
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

/** Selects the tags and texts of a page. */
class Reader {
  readonly #writer: MarkdownWriter;
  readonly #whole: boolean;
  #title: string | undefined;
  #inTitle = false;
  #hasBase = false;
  #depth = 0;
  /** Depth within a skipped element. */
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
      // The first `base` counts.
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
    // Entities may also encode invisible characters.
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

function isHidden({ hidden, style = "", "aria-hidden": aria }: Record<string, string>): boolean {
  return (
    hidden !== undefined ||
    aria === "true" ||
    /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style)
  );
}
