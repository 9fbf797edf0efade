import { fits, type Schema } from "./generate.ts";

/** Calls that are made at most to find a simpler case. */
const MOST_TRIES = 150;

/**
 * The simplest arguments that still fail, as far as a few tries find them.
 *
 * @param fails called one by one
 */
export async function shrink(
  schema: Schema,
  failing: unknown,
  fails: (value: unknown) => Promise<boolean>,
): Promise<unknown> {
  let simplest = failing;
  let tries = 0;
  const tried = new Set([JSON.stringify(failing)]);
  for (;;) {
    let found = false;
    for (const candidate of simpler(simplest)) {
      const text = JSON.stringify(candidate);
      if (tried.has(text) || !fits(schema, candidate)) continue;
      tried.add(text);
      if (++tries > MOST_TRIES) return simplest;
      if (!(await fails(candidate))) continue;
      simplest = candidate;
      found = true;
      break;
    }
    if (!found) return simplest;
  }
}

/** Values that are simpler than this one, the simplest first. */
function* simpler(value: unknown): Generator {
  if (typeof value === "string") yield* simplerText(value);
  else if (typeof value === "number") yield* simplerNumber(value);
  else if (value === true) yield false;
  else if (Array.isArray(value)) yield* simplerList(value);
  else if (typeof value === "object" && value !== null)
    yield* simplerObject(value as Record<string, unknown>);
}

function* simplerText(text: string): Generator<string> {
  if (text === "") return;
  yield "";
  if (text.length > 1) yield "a";
  const characters = Array.from(text);
  if (characters.length < 2) return;
  const half = Math.ceil(characters.length / 2);
  yield characters.slice(0, half).join("");
  yield characters.slice(half).join("");
  if (characters.length <= 20)
    for (const index of characters.keys()) yield characters.toSpliced(index, 1).join("");
}

function* simplerNumber(number: number): Generator<number> {
  if (number === 0) return;
  yield 0;
  if (Math.abs(number) > 1) yield Math.sign(number);
  if (Math.abs(number) > 2) yield Math.trunc(number / 2);
}

function* simplerList(list: readonly unknown[]): Generator<unknown[]> {
  if (list.length === 0) return;
  yield [];
  if (list.length > 2) yield list.slice(0, Math.ceil(list.length / 2));
  for (const index of list.keys()) yield list.toSpliced(index, 1);
  for (const [index, each] of list.entries())
    for (const candidate of simpler(each)) yield list.with(index, candidate);
}

function* simplerObject(object: Record<string, unknown>): Generator<Record<string, unknown>> {
  const entries = Object.entries(object);
  for (const [key] of entries) yield Object.fromEntries(entries.filter(([name]) => name !== key));
  for (const [key, each] of entries)
    for (const candidate of simpler(each)) yield { ...object, [key]: candidate };
}
