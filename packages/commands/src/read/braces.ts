import type { Atom } from "./read-word.ts";

const MAX_WORDS = 1000;
const MAX_GROUPS = 50;
const MAX_LENGTH = 100_000;

/** Expands `{a,b}` and `{1..3}` like bash; `undefined` if the result is uncertain. `{}` stays. */
export function expandShellBraces(atoms: readonly Atom[]): readonly (readonly Atom[])[] | undefined {
  // Bash expands groups before values: `$a{b,c}` is `$ab $ac`.
  const isJoined = atoms.some((atom, at) => "variable" in atom && atom.isOpen && isGroupSign(atoms[at + 1]));
  const groups = atoms.filter((atom) => isSign(atom, "{")).length;
  return isJoined || groups > MAX_GROUPS ? undefined : expandGroups(atoms);
}

function isGroupSign(atom: Atom | undefined): boolean {
  return ["{", ",", "}"].some((sign) => isSign(atom, sign));
}

function expandGroups(atoms: readonly Atom[]): readonly (readonly Atom[])[] | undefined {
  const start = atoms.findIndex((atom) => isSign(atom, "{"));
  if (start < 0) return atoms.some((atom) => isSign(atom, "}")) ? undefined : [atoms];
  const inside = splitGroup(atoms, start + 1);
  if (inside === undefined) return undefined;
  const choices = inside.parts.length > 1 ? inside.parts : sequence(inside.parts[0] ?? []);
  if (choices === undefined) return undefined;
  const rests = expandGroups(atoms.slice(inside.end));
  if (rests === undefined) return undefined;
  const before = atoms.slice(0, start);
  const words: Atom[][] = [];
  for (const choice of choices) {
    const middles = expandGroups(choice);
    if (middles === undefined) return undefined;
    const count = words.length + middles.length * rests.length;
    if (count > MAX_WORDS || count * atoms.length > MAX_LENGTH) return undefined;
    for (const middle of middles) for (const rest of rests) words.push([...before, ...middle, ...rest]);
  }
  return words;
}

export function hasBraces(atoms: readonly Atom[]): boolean {
  const plain = atoms.map((atom) => ("char" in atom && !atom.quoted ? atom.char : "\0")).join("");
  return plain.includes("{") && (plain.includes(",") || plain.includes(".."));
}

function isSign(atom: Atom | undefined, sign: string): boolean {
  return atom !== undefined && "char" in atom && !atom.quoted && atom.char === sign;
}

function splitGroup(atoms: readonly Atom[], from: number): { parts: Atom[][]; end: number } | undefined {
  const parts: Atom[][] = [[]];
  let depth = 0;
  for (let at = from; at < atoms.length; at++) {
    const atom = atoms[at] as Atom;
    if (depth === 0 && isSign(atom, "}")) return { parts, end: at + 1 };
    if (depth === 0 && isSign(atom, ",")) {
      parts.push([]);
      continue;
    }
    if (isSign(atom, "{")) depth += 1;
    if (isSign(atom, "}")) depth -= 1;
    parts.at(-1)?.push(atom);
  }
  return undefined;
}

function sequence(atoms: readonly Atom[]): Atom[][] | undefined {
  const text = atoms.map((atom) => ("char" in atom && !atom.quoted ? atom.char : "\0")).join("");
  const [, first, last] = /^(0|-?[1-9]\d{0,8})\.\.(0|-?[1-9]\d{0,8})$/.exec(text) ?? [];
  const [, from, to] = /^([a-z])\.\.([a-z])$/.exec(text) ?? /^([A-Z])\.\.([A-Z])$/.exec(text) ?? [];
  const numbers = first === undefined ? undefined : [Number(first), Number(last)];
  const letters = from === undefined ? undefined : [from.charCodeAt(0), (to ?? "").charCodeAt(0)];
  const [start, end] = numbers ?? letters ?? [];
  if (start === undefined || end === undefined || Math.abs(end - start) >= MAX_WORDS) return undefined;
  const step = start <= end ? 1 : -1;
  return Array.from({ length: Math.abs(end - start) + 1 }, (_, at) => {
    const one = start + at * step;
    const word = letters === undefined ? String(one) : String.fromCharCode(one);
    return Array.from(word, (char) => ({ char, quoted: false }));
  });
}
