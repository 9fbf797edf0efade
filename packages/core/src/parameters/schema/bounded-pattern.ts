import type { Script } from "node:vm";

export interface BoundedPattern {
  /** @throws NEEDS_WATCH for a text that may take long, outside of {@link runWithLimit} */
  test(text: string): boolean;
}

export const NEEDS_WATCH = new Error("a pattern needs a time limit");

const FREE_STEPS = 1_000_000;
const LIMIT_MS = 250;
/** Limits all aborted checks together. The budget recovers slowly. */
const BUDGET_MS = 1000;
const SHARE = 0.1;

let isWatched = false;

/** Cheap matches run without a time limit. */
export function boundedPattern(pattern: RegExp): BoundedPattern {
  const { source } = pattern;
  const { paths, repeats, isNested } = shapeOf(source);
  const exponent = repeats + (source.startsWith("^") ? 0 : 1);
  return {
    test: (text) => {
      const steps = paths * (isNested ? 4 ** text.length : text.length ** exponent);
      if (steps > FREE_STEPS && !isWatched) throw NEEDS_WATCH;
      return pattern.test(text);
    },
  };
}

function shapeOf(source: string): { paths: number; repeats: number; isNested: boolean } {
  const bare = source
    .replaceAll(/\\./gs, "x")
    .replaceAll(/\[[^\]]*\]/g, "x")
    .replaceAll(/\(\?(?:[:=!]|<[=!]|<\w+>)/g, "(");
  let paths = 1;
  const open = [1];
  for (const [mark] of bare.matchAll(/[(|)]/g)) {
    if (mark === "(") open.push(1);
    else if (mark === "|") open[open.length - 1]!++;
    else paths *= open.pop() ?? 1;
  }
  for (const left of open) paths *= left;
  const repeats = bare.match(/[*+?]|\{\d+,\d*\}/g)?.length ?? 0;
  return { paths, repeats, isNested: /\)[*+?{]/.test(bare) || /\\[1-9k]/.test(source) };
}

const KEY = Symbol.for("haft.pattern");
let script: Script | undefined;
let left = BUDGET_MS;
let lastAt = 0;
let givenUp = 0;

export function countAbortedChecks(): number {
  return givenUp;
}

export function runWithLimit(check: () => boolean): boolean | undefined {
  try {
    return check();
  } catch (thrown) {
    if (thrown !== NEEDS_WATCH) throw thrown;
    return runWatched(check);
  }
}

/** The timeout of a script also ends regular expressions. Costs about 0.1 ms per check. */
export function runWatched(check: () => boolean): boolean | undefined {
  const startedAt = performance.now();
  left = Math.min(BUDGET_MS, left + (startedAt - lastAt) * SHARE);
  lastAt = startedAt;
  const timeout = Math.ceil(Math.min(LIMIT_MS, left));
  if (timeout < 1) return giveUp();
  const { Script: VmScript } = process.getBuiltinModule("node:vm");
  script ??= new VmScript(`globalThis[Symbol.for("haft.pattern")]()`, { filename: "haft:pattern" });
  const shared = globalThis as Record<symbol, unknown>;
  shared[KEY] = check;
  isWatched = true;
  try {
    return script.runInThisContext({ timeout }) as boolean;
  } catch (thrown) {
    if ((thrown as { code?: unknown }).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw thrown;
    left -= performance.now() - startedAt;
    return giveUp();
  } finally {
    isWatched = false;
    delete shared[KEY];
  }
}

function giveUp(): undefined {
  givenUp++;
  return undefined;
}
