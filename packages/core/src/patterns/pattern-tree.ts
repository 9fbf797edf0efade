import type { NameMatcher } from "./match-name.ts";

/** A `**`: any folders, also none. */
export const ANY_FOLDERS = Symbol("**");

/** What one name of a path has to be, or any folders. */
export type Segment = typeof ANY_FOLDERS | NameMatcher;

/** One or several patterns for paths, compiled. A path is its names with `/` between them; `""` is the root itself. */
export interface PathPattern {
  /** Is the path, as a whole, what a pattern means? */
  matches(path: string): boolean;
  /** Is the path, or a folder that it lies in, what a pattern means? */
  covers(path: string): boolean;
  /** How the path, and what is below it, relates to the patterns. */
  relate(path: string): {
    /** The path itself matches. */
    readonly itself: boolean;
    /** Something below it could match. */
    readonly some: boolean;
    /** All below it matches. */
    readonly all: boolean;
    /** It matches the beginning of a pattern that goes on, and not by a `**` in front alone. */
    readonly begun: boolean;
  };
}

/** A place in the patterns: what was matched so far, and what may come. */
interface Place {
  /** Is it inside of a `**`, where any name leads back to it? */
  readonly any: boolean;
  /** Reached by a name, and not by a `**` in front alone. */
  readonly begun: boolean;
  /** A pattern ends here. */
  end: boolean;
  readonly exact: Map<string, Place>;
  /** A bit for each character that a name in `exact` begins with: most names are not worth a look there. */
  initials: number;
  readonly others: { readonly matches: (name: string) => boolean; readonly to: Place }[];
  /** The `**` that begins here. */
  folders: Place | undefined;
  /** The number of the step that reached it last. */
  step: number;
}

/**
 * Patterns, merged where they begin alike. A path is compared with all of them at once, name by name, and every name
 * meets every place once at most: nothing is ever tried again.
 */
export class PatternTree implements PathPattern {
  readonly #root = newPlace(false, false);
  readonly #dotFiles: boolean;
  /** The places where all names are used up; what follows the first `count` is left from paths before. */
  #reached: Place[] = [];
  #before: Place[] = [];
  #count = 0;
  /** Does a pattern end at one of the places reached? */
  #ended = false;
  #step = 0;

  /** @param dotFiles May a `**` stand for names that begin with a dot? */
  constructor(dotFiles: boolean) {
    this.#dotFiles = dotFiles;
  }

  insert(segments: readonly Segment[]): void {
    let place = this.#root;
    for (const segment of segments) place = follow(place, segment);
    place.end = true;
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
    const onward = this.#reached.slice(0, this.#count).filter(goesOn);
    return {
      itself: this.#ended,
      some: onward.length > 0,
      all: onward.some(({ any, end }) => any && end),
      begun: onward.some(({ begun }) => begun),
    };
  }

  /** Goes through the names. Asked for the first end, it stops there and says whether that was above the path. */
  #walk(path: string, toFirstEnd: boolean): boolean {
    this.#next();
    this.#reach(this.#root);
    // The root itself: no names.
    if (path === "") return false;
    for (let from = 0; from <= path.length && this.#count > 0;) {
      if (toFirstEnd && this.#ended && from > 0) return true;
      const slash = path.indexOf("/", from);
      const name = slash < 0 ? path.slice(from) : path.slice(from, slash);
      from += name.length + 1;
      const count = this.#count;
      this.#next();
      for (let at = 0; at < count; at++) this.#pass(this.#before[at]!, name);
    }
    return false;
  }

  #pass(place: Place, name: string): void {
    if (place.any && (this.#dotFiles || !name.startsWith("."))) this.#reach(place);
    const exact = place.initials & initial(name) ? place.exact.get(name) : undefined;
    if (exact) this.#reach(exact);
    for (const { matches, to } of place.others) if (matches(name)) this.#reach(to);
  }

  #next(): void {
    const before = this.#before;
    this.#before = this.#reached;
    this.#reached = before;
    this.#count = 0;
    this.#ended = false;
    this.#step++;
  }

  #reach(place: Place): void {
    if (place.step === this.#step) return;
    place.step = this.#step;
    this.#reached[this.#count++] = place;
    this.#ended ||= place.end;
    // `**` may stand for nothing.
    if (place.folders) this.#reach(place.folders);
  }
}

function goesOn({ any, exact, others }: Place): boolean {
  return any || exact.size + others.length > 0;
}

function initial(name: string): number {
  return 1 << (name.charCodeAt(0) & 31);
}

function newPlace(any: boolean, begun: boolean): Place {
  return { any, begun, end: false, exact: new Map(), initials: 0, others: [], folders: undefined, step: 0 };
}

/** The place that a segment leads to. */
function follow(place: Place, segment: Segment): Place {
  if (segment === ANY_FOLDERS) return place.any ? place : (place.folders ??= newPlace(true, place.begun));
  const known = typeof segment === "string" ? place.exact.get(segment) : undefined;
  if (known) return known;
  const to = newPlace(false, true);
  if (typeof segment === "string") {
    place.exact.set(segment, to);
    place.initials |= initial(segment);
  } else place.others.push({ matches: segment, to });
  return to;
}
