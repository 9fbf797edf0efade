/**
 * The document as a terminal may have it: styles that it writes into elements, which the page's content policy forbids, go into
 * style sheets and properties instead, which only code of the page itself can make.
 */
export class QuietDocument {
  /** For the option `documentOverride` of a terminal. */
  readonly document: Document;
  readonly #sheets: CSSStyleSheet[] = [];

  constructor() {
    const createElement = (name: string) => {
      const element = document.createElement(name);
      if (name === "style") this.#adopt(element);
      else element.setAttribute = setAttribute;
      return element;
    };
    this.document = new Proxy(document, {
      get(target, key) {
        if (key === "createElement") return createElement;
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === "function" ? (value as () => unknown).bind(target) : value;
      },
    });
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

function setAttribute(this: HTMLElement, name: string, value: string): void {
  if (name === "style") this.style.cssText = value;
  else Element.prototype.setAttribute.call(this, name, value);
}
