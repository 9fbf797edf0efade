import { formatPath } from "./schema/issues.ts";
import { isPlainObject, type JsonObject } from "./schema/json-schema.ts";

export interface JsonLimits {
  depth: number;
  /** Characters of all keys and texts, plus one for each value. */
  characters: number;
  undefinedIsAbsent?: boolean;
}

export class NotJsonError extends Error {
  readonly what: string;
  readonly path: string;
  readonly isTooMuch: boolean;

  constructor(what: string, path: readonly (string | number)[], isTooMuch = false) {
    super(`${formatPath(path) || "it"} is ${what}`);
    this.what = what;
    this.path = formatPath(path);
    this.isTooMuch = isTooMuch;
  }
}

/** Copies foreign JSON; reads every member once. @throws NotJson, and errors of getters */
export function copyJson(value: unknown, limits: JsonLimits): { value: unknown; characters: number } {
  const copier = new Copier(limits);
  return { value: copier.copy(value), characters: copier.characters };
}

class Copier {
  characters = 0;
  readonly #limits: JsonLimits;
  readonly #path: (string | number)[] = [];
  readonly #open = new Set<object>();

  constructor(limits: JsonLimits) {
    this.#limits = limits;
  }

  copy(value: unknown): unknown {
    if (typeof value === "string") return this.#count(value.length, value);
    if (typeof value === "boolean" || value === null) return this.#count(1, value);
    if (typeof value === "object") return this.#compound(value);
    if (typeof value !== "number") throw this.#not(kindOf(value));
    if (!Number.isFinite(value)) throw this.#not(String(value));
    return this.#count(1, value + 0);
  }

  #compound(value: object): unknown {
    if (this.#open.has(value)) throw this.#not("an object that contains itself");
    if (this.#open.size >= this.#limits.depth)
      throw new NotJsonError(`nested deeper than ${this.#limits.depth} levels`, this.#path, true);
    const isList = Array.isArray(value);
    if (!isList && !isPlainObject(value)) throw this.#not(kindOf(value));
    this.#open.add(value);
    const copy = isList ? this.#list(value) : this.#object(value);
    this.#open.delete(value);
    return this.#count(1, copy);
  }

  #list(items: readonly unknown[]): unknown[] {
    const copy: unknown[] = [];
    const { length } = items;
    for (let index = 0; index < length; index++) {
      this.#path.push(index);
      copy.push(this.copy(items[index]));
      this.#path.pop();
    }
    return copy;
  }

  #object(members: JsonObject): JsonObject {
    const copy: JsonObject = {};
    for (const key of Object.keys(members)) {
      this.#path.push(key);
      if (key === "__proto__") throw this.#not("a reserved name of objects");
      const member = members[key];
      this.#count(key.length, undefined);
      if (member !== undefined || this.#limits.undefinedIsAbsent !== true) copy[key] = this.copy(member);
      this.#path.pop();
    }
    return copy;
  }

  #count<T>(characters: number, value: T): T {
    this.characters += characters;
    if (this.characters > this.#limits.characters)
      throw new NotJsonError(
        `larger than ${this.#limits.characters.toLocaleString("en")} characters`,
        [],
        true,
      );
    return value;
  }

  #not(what: string): NotJsonError {
    return new NotJsonError(what, this.#path);
  }
}

function kindOf(value: unknown): string {
  if (value === undefined) return "undefined";
  if (typeof value !== "object") return `a ${typeof value}`;
  const { constructor } = value as { constructor?: unknown };
  const name = typeof constructor === "function" ? constructor.name : "";
  if (name === "") return "an instance of a class";
  return /^(?:Date|Map|Set|RegExp|Promise|WeakMap|WeakSet)$/.test(name)
    ? `a ${name}`
    : `an instance of ${name}`;
}

export function copyArguments<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => copyArguments<unknown>(item)) as Value;
  const copy = { ...value } as Record<string, unknown>;
  for (const key of Object.keys(copy)) copy[key] = copyArguments(copy[key]);
  return copy as Value;
}

export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
