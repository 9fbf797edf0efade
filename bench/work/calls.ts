/** The same kernel work for every implementation. */

export const schema = {
  type: "object",
  properties: {
    path: { type: "string", minLength: 1, description: "File to look at." },
    offset: { type: "integer", minimum: 1, description: "First line." },
    limit: { type: "integer", minimum: 1, description: "Number of lines." },
    content: { type: "string", description: "Text to look for." },
  },
  required: ["path"],
  additionalProperties: false,
} as const;

export interface Arguments {
  path: string;
  offset?: number;
  limit?: number;
  content?: string;
}

/** Arguments are unique by number, as in a session with progress. */
export function createArguments(call: number): Arguments {
  return { path: `src/module-${call % 100}/index.ts`, offset: call + 1, limit: 200 };
}

const LINE = 'The quick brown fox jumps over the lazy dog, and "quotes" are escaped.\n';
const LARGE = LINE.repeat(Math.ceil(100_000 / LINE.length)).slice(0, 100_000);

/** JSON of 100 KB in one piece of memory, as from a model. */
export function largeText(call: number): string {
  return Buffer.from(JSON.stringify({ path: `src/${call}.ts`, content: `${call}${LARGE}` })).toString(
    "latin1",
  );
}

/** One round's calls, made beforehand. */
export class Supply<Item> {
  readonly size: number;
  readonly #make: (call: number) => Item;
  #items: Item[] = [];
  #made = 0;

  constructor(size: number, make: (call: number) => Item) {
    this.size = size;
    this.#make = make;
  }

  refill(): void {
    this.#items = Array.from({ length: this.size }, () => this.#make(this.#made++));
  }

  take(): Item {
    const item = this.#items.pop();
    if (item === undefined) throw new Error("The supply of this round is used up.");
    return item;
  }
}

/** Bytes of live objects. */
export function heapInUse(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
