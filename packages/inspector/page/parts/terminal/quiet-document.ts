const HTML = "http://www.w3.org/1999/xhtml";

/** Moves a terminal's styles to style sheets and properties, because the content policy forbids inline styles. */
export class QuietDocument {
  readonly document: Document;
  readonly #createElement: Document["createElement"];
  readonly #sheets: CSSStyleSheet[] = [];

  constructor() {
    // The function is replaced below.
    const original = (name: string) => document.createElementNS(HTML, name);
    const createElement = (name: string) => {
      if (name !== "style") return original(name);
      // Even an empty style element would be reported.
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
    const replacement = { value: this.#createElement, configurable: true };
    Object.defineProperty(document, "createElement", replacement);
    try {
      work();
    } finally {
      Reflect.deleteProperty(document, "createElement");
    }
  }

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

HTMLSpanElement.prototype.setAttribute = function setAttribute(name: string, value: string) {
  if (name === "style") this.style.cssText = value;
  else Element.prototype.setAttribute.call(this, name, value);
};
