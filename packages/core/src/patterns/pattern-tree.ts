import type { NameMatcher } from "./match-name.ts";

export const ANY_FOLDERS = Symbol("**");

export type Segment = typeof ANY_FOLDERS | NameMatcher;

/**
 * Matches paths against patterns. `""` is the root.
 *
 * @example
 * ```ts run
 * import { compilePathPattern } from "@haft/core";
 *
 * const pattern = compilePathPattern("docs");
 * if ("problem" in pattern) throw new Error(pattern.message);
 * pattern.matches("docs/guide.md"); // => false
 * pattern.covers("docs/guide.md"); // => true
 * pattern.relate("docs").itself; // => true
 * ```
 */
export interface PathPattern {
  /** Returns whether the whole path matches. */
  matches(path: string): boolean;
  /** Returns whether the path, or a folder above it, matches. */
  covers(path: string): boolean;
  /** Returns how the path, and everything below, relates to the patterns. */
  relate(path: string): {
    /** Tells whether the path itself matches. */
    readonly itself: boolean;
    /** Tells whether something below could match. */
    readonly some: boolean;
    /** Tells whether everything below matches. */
    readonly all: boolean;
    /** Tells whether it matches the beginning of a longer pattern, other than by a leading `**`. */
    readonly anchored: boolean;
  };
}

interface Node {
  readonly any: boolean;
  readonly anchored: boolean;
  end: boolean;
  readonly exact: Map<string, Node>;
  initials: number;
  readonly others: { readonly matches: (name: string) => boolean; readonly to: Node }[];
  finals: number;
  folders: Node | undefined;
  step: number;
}

/** Merges patterns by common beginnings. A path visits every node at most once. */
export class PatternTree implements PathPattern {
  readonly #root = newNode(false, false);
  readonly #dotFiles: boolean;
  #reached: Node[] = [];
  #before: Node[] = [];
  #count = 0;
  #ended = false;
  #step = 0;

  constructor(dotFiles: boolean) {
    this.#dotFiles = dotFiles;
  }

  insert(segments: readonly Segment[]): void {
    let node = this.#root;
    for (const segment of segments) node = follow(node, segment);
    node.end = true;
  }

  matches(path: string): boolean {
    this.#walk(path, false);
    return this.#ended;
  }

  covers(path: string): boolean {
    return this.#walk(path, true) || this.#ended;
  }

  relate(path: string): ReturnType<PathPattern["relate"]> {
    this.#walk(path, false);
    const relation = { itself: this.#ended, some: false, all: false, anchored: false };
    for (let at = 0; at < this.#count; at++) {
      const node = this.#reached[at]!;
      if (!node.any && node.exact.size + node.others.length === 0) continue;
      relation.some = true;
      relation.all ||= node.any && node.end;
      relation.anchored ||= node.anchored;
    }
    return relation;
  }

  /** Walks the names. `toFirstEnd` stops at the first match and returns whether it was above the path. */
  #walk(path: string, toFirstEnd: boolean): boolean {
    this.#next();
    this.#reach(this.#root);
    if (path === "") return false;
    for (let from = 0; from <= path.length && this.#count > 0;) {
      if (toFirstEnd && this.#ended && from > 0) return true;
      const slash = path.indexOf("/", from);
      const end = slash < 0 ? path.length : slash;
      const first = path.charCodeAt(from);
      if (from === end || this.#mayFit(first, path.charCodeAt(end - 1))) this.#take(path.slice(from, end));
      else this.#passAny(first === DOT);
      from = end + 1;
    }
    return false;
  }

  #mayFit(first: number, last: number): boolean {
    for (let at = 0; at < this.#count; at++) {
      const { initials, finals } = this.#reached[at]!;
      if (initials & bitOf(first) || finals & bitOf(last)) return true;
    }
    return false;
  }

  #passAny(isDotFile: boolean): void {
    const count = isDotFile && !this.#dotFiles ? 0 : this.#count;
    this.#count = 0;
    this.#ended = false;
    for (let at = 0; at < count; at++) {
      const node = this.#reached[at]!;
      if (!node.any) continue;
      this.#reached[this.#count++] = node;
      this.#ended ||= node.end;
    }
  }

  #take(name: string): void {
    const count = this.#count;
    this.#next();
    for (let at = 0; at < count; at++) this.#pass(this.#before[at]!, name);
  }

  #pass(node: Node, name: string): void {
    if (node.any && (this.#dotFiles || !name.startsWith("."))) this.#reach(node);
    const exact = node.initials & bitOf(name.charCodeAt(0)) ? node.exact.get(name) : undefined;
    if (exact) this.#reach(exact);
    if (!(node.finals & lastBit(name))) return;
    for (const { matches, to } of node.others) if (matches(name)) this.#reach(to);
  }

  #next(): void {
    const before = this.#before;
    this.#before = this.#reached;
    this.#reached = before;
    this.#count = 0;
    this.#ended = false;
    this.#step++;
  }

  #reach(node: Node): void {
    if (node.step === this.#step) return;
    node.step = this.#step;
    this.#reached[this.#count++] = node;
    this.#ended ||= node.end;
    if (node.folders) this.#reach(node.folders);
  }
}

const DOT = ".".charCodeAt(0);
const ANY_BIT = -1;

function lastBit(text: string): number {
  return bitOf(text.charCodeAt(text.length - 1));
}

function bitOf(character: number): number {
  return 1 << (character & 31);
}

function newNode(any: boolean, begun: boolean): Node {
  return {
    any,
    anchored: begun,
    end: false,
    exact: new Map(),
    initials: 0,
    others: [],
    finals: 0,
    folders: undefined,
    step: 0,
  };
}

function follow(node: Node, segment: Segment): Node {
  if (segment === ANY_FOLDERS) return node.any ? node : (node.folders ??= newNode(true, node.anchored));
  const known = typeof segment === "string" ? node.exact.get(segment) : undefined;
  if (known) return known;
  const to = newNode(false, true);
  if (typeof segment === "string") {
    node.exact.set(segment, to);
    node.initials |= bitOf(segment.charCodeAt(0));
  } else {
    node.others.push({ matches: segment.matches, to });
    node.finals |= segment.end === "" ? ANY_BIT : lastBit(segment.end);
  }
  return to;
}
