const HTML = "http://www.w3.org/1999/xhtml";

/**
 * The document as a terminal may have it: styles that it writes into elements, which the page's content policy forbids, go into
 * style sheets and properties instead, which only code of the page itself can make.
 */
export class QuietDocument {
  readonly document: Document;
  readonly #createElement: Document["createElement"];
  readonly #sheets: CSSStyleSheet[] = [];

  constructor() {
    // Another way than the one that is exchanged below.
    const original = (name: string) => document.createElementNS(HTML, name);
    const createElement = (name: string) => {
      if (name !== "style") return original(name);
      // Even an empty one would be told as forbidden, so something stands for it that is not shown.
      const element = original("span");
      element.hidden = true;
      this.#adopt(element);
      return element;
    };
    this.#createElement = createElement;
    this.document = new Proxy(document, {
      get(target, key) {
        if (key === "createElement") return createElement;
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === "function" ? (value as () => unknown).bind(target) : value;
      },
    });
  }

  during(work: () => void): void {
    const isOwn = { value: this.#createElement, configurable: true };
    Object.defineProperty(document, "createElement", isOwn);
    try {
      work();
    } finally {
      // That of its prototype is there again.
      Reflect.deleteProperty(document, "createElement");
    }
  }

  /** The terminal is gone: so are its styles. */
  release(): void {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter(
      (sheet) => !this.#sheets.includes(sheet),
    );
  }

  #adopt(element: HTMLElement): void {
    const sheet = new CSSStyleSheet();
    this.#sheets.push(sheet);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    const set = (text: string) => sheet.replaceSync(text);
    Object.defineProperty(element, "textContent", { set, get: () => "" });
  }
}

// Of what is drawn, and of its copies: a style that is an attribute becomes properties.
HTMLSpanElement.prototype.setAttribute = function setAttribute(name: string, value: string) {
  if (name === "style") this.style.cssText = value;
  else Element.prototype.setAttribute.call(this, name, value);
};
