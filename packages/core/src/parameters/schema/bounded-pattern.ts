import type { Script } from "node:vm";

/** Tests texts against a pattern of a schema, in time that is bounded whatever the pattern is. */
export interface BoundedPattern {
  /** Whether the text matches; `false`, too, where that could not be told in time. */
  test(text: string): boolean;
}

/** Steps that are taken unwatched, at most. */
const FREE_STEPS = 1_000_000;
/** Milliseconds that one pattern may take at once, and all of the process. */
const BURST_MS = 100;
const BURST_OF_ALL_MS = 1000;
/** What either may take of the time that passes: one call after the other must not stop the host. */
const SHARE = 0.1;

/**
 * The pattern is its author's and the text a model's: together they can take for ever, since the engine tries every way to
 * match. A test that may be long is watched, and ended.
 */
export function boundedPattern(pattern: RegExp): BoundedPattern {
  const { source } = pattern;
  const { choices, isNested } = shapeOf(source);
  const exponent = choices + (source.startsWith("^") ? 0 : 1);
  const own = new TimeBudget(BURST_MS);
  return {
    test: (text) => {
      const steps = isNested ? 4 ** text.length : text.length ** exponent;
      return steps <= FREE_STEPS ? pattern.test(text) : testInTime(pattern, text, own);
    },
  };
}

/** How often it leaves a choice, and whether what is repeated leaves some. Judged too high rather than too low. */
function shapeOf(source: string): { choices: number; isNested: boolean } {
  const bare = source
    .replaceAll(/\\./gs, "x")
    .replaceAll(/\[[^\]]*\]/g, "x")
    .replaceAll(/\(\?(?:[:=!]|<[=!]|<\w+>)/g, "(");
  const choices = bare.match(/[*+?|]|\{\d+,\d*\}/g)?.length ?? 0;
  return { choices, isNested: /\)[*+?{]/.test(bare) || /\\[1-9k]/.test(source) };
}

/** Milliseconds that are there to be spent, and come back slowly. */
class TimeBudget {
  readonly #burst: number;
  #left: number;
  #lastAt = 0;

  constructor(burst: number) {
    this.#burst = burst;
    this.#left = burst;
  }

  leftAt(now: number): number {
    this.#left = Math.min(this.#burst, this.#left + (now - this.#lastAt) * SHARE);
    this.#lastAt = now;
    return this.#left;
  }

  spend(milliseconds: number): void {
    this.#left -= milliseconds;
  }
}

let givenUp = 0;

/** How many tests were ended so far: whoever would try such a text by other means asks before and after. */
export function testsGivenUp(): number {
  return givenUp;
}

const ofAll = new TimeBudget(BURST_OF_ALL_MS);
const KEY = Symbol.for("haft.pattern");
let script: Script | undefined;

/** A script has a timeout, which ends regular expressions, too: some 0.1 ms more for each test. */
function testInTime(pattern: RegExp, text: string, own: TimeBudget): boolean {
  const startedAt = performance.now();
  const timeout = Math.ceil(Math.min(own.leftAt(startedAt), ofAll.leftAt(startedAt)));
  if (timeout < 1) return giveUp();
  const { Script: VmScript } = process.getBuiltinModule("node:vm");
  script ??= new VmScript(`globalThis[Symbol.for("haft.pattern")]()`, { filename: "haft:pattern" });
  const place = globalThis as Record<symbol, unknown>;
  place[KEY] = () => pattern.test(text);
  try {
    return script.runInThisContext({ timeout }) as boolean;
  } catch {
    return giveUp();
  } finally {
    delete place[KEY];
    const spent = performance.now() - startedAt;
    own.spend(spent);
    ofAll.spend(spent);
  }
}

function giveUp(): false {
  givenUp++;
  return false;
}
