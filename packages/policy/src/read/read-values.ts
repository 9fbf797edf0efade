import { nearestNames } from "@haft/core/internal";
import type { KeyPath, Problems } from "./problems.ts";

/** The own enumerable fields of an object, or nothing and a problem. Unknown keys are left out. */
export function readObject(
  value: unknown,
  path: KeyPath,
  known: readonly string[] | undefined,
  problems: Problems,
): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    problems.add(path, { message: `Expected an object, got ${show(value)}.` });
    return Object.create(null) as Record<string, unknown>;
  }
  const fields = Object.assign(Object.create(null) as Record<string, unknown>, value);
  for (const key of known === undefined ? [] : Object.keys(value)) {
    if (known!.includes(key)) continue;
    const message = `There is no such key; known here: ${known!.join(", ")}.`;
    problems.add([...path, key], { message, nearest: nearestNames(key, known!) });
    delete fields[key];
  }
  return fields;
}

/** One of a few words, or nothing. */
export function readWord<Word extends string>(
  value: unknown,
  path: KeyPath,
  words: readonly Word[],
  problems: Problems,
): Word | undefined {
  if (value === undefined) return undefined;
  const word = words.find((known) => known === value);
  if (word !== undefined) return word;
  const nearest = typeof value === "string" ? nearestNames(value, words) : [];
  // YAML reads a bare `off` of older versions as false.
  const hint = typeof value === "boolean" ? " Quote it if it is meant as a word." : "";
  problems.add(path, {
    message: `${show(value)} is not known here; there are ${words.join(", ")}.${hint}`,
    nearest,
  });
  return undefined;
}

/** A list of texts. A bad entry keeps its place, so that the paths of later problems stay right. */
export function readTexts(
  value: unknown,
  path: KeyPath,
  check: (text: string) => { message: string; nearest?: readonly string[] } | undefined,
  problems: Problems,
): string[] {
  if (!Array.isArray(value)) {
    problems.add(path, { message: `Expected a list, got ${show(value)}.` });
    return [];
  }
  return value.map((entry: unknown, index) => {
    const text = typeof entry === "string" ? entry : undefined;
    const problem = text === undefined ? { message: `Expected text, got ${show(entry)}.` } : check(text);
    if (problem) problems.add([...path, index], problem);
    return text ?? "";
  });
}

export function show(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : (JSON.stringify(value) ?? typeof value);
}
