import { HaftError, getErrorMessage } from "../../contract/errors.ts";
import { type AliasTable, NO_ALIASES } from "./aliases.ts";
import { NEEDS_WATCH, runWatched } from "./bounded-pattern.ts";
import { acceptAny, type Check, combineChecks, checkAt, type CompileSubschema } from "./check.ts";
import { combinatorChecks, listEnumValues } from "./combinator-checks.ts";
import { describeSchema, type Issue, IssueReport, parameterIssue, type ParameterIssue } from "./issues.ts";
import {
  isPlainObject,
  type JsonSchema,
  collectKnownNames,
  MAX_SCHEMA_DEPTH,
  schemaInvalidError,
  SchemaReferences,
} from "./json-schema.ts";
import { predicates, schemaCount } from "./keywords.ts";
import { objectChecks } from "./object-checks.ts";

export interface Validator {
  check(value: unknown): boolean;
  /** Returns at most `max` issues, 10 by default; empty exactly if `check` is true. */
  issues(value: unknown, max?: number): readonly Issue[];
  errors(value: unknown): ParameterIssue[];
}

export interface ValidatorOptions {
  /** Rejects undeclared top-level names, unless the schema allows others or declares none. */
  closed?: boolean;
  aliases?: AliasTable;
}

/**
 * Compiles JSON Schema into closures, without code generation.
 *
 * Supports the keywords of {@link JsonSchema} (2020-12 and draft 7), `$ref`s within the schema, and TypeBox schemas. `format` and other
 * keywords are annotations. `unevaluatedProperties: false` accepts names that any branch declares. `undefined` counts as absent.
 *
 * @throws `TOOL_INVALID` for a malformed schema, an unresolvable `$ref` or a type outside JSON.
 */
export function compileValidator(schema: unknown, options: ValidatorOptions = {}): Validator {
  try {
    const compiler = new SchemaCompiler(schema, options.aliases);
    return compiler.validator(options.closed === true ? closeRoot(schema, compiler.references) : schema);
  } catch (thrown) {
    throw HaftError.is(thrown) ? thrown : schemaInvalidError("", getErrorMessage(thrown));
  }
}

const NO_ISSUES: readonly Issue[] = Object.freeze([]);

/** Limits `$ref`s per check, in depth and in total. */
const MAX_REFERENCE_DEPTH = 200;
const MAX_REFERENCES = 1_000_000;
const MAX_ALTERNATIVES = 20_000_000;

export class SchemaCompiler {
  readonly references: SchemaReferences;
  readonly aliases: AliasTable;
  readonly #targets = new Map<unknown, { check: Check }>();
  #depth = 0;
  #followed = 0;
  #followedBefore = 0;
  #tried = 0;

  constructor(root: unknown, aliases: AliasTable = NO_ALIASES) {
    this.references = new SchemaReferences(root);
    this.aliases = aliases;
  }

  get isSpent(): boolean {
    return this.#followedBefore + this.#followed > MAX_REFERENCES;
  }

  validator(schema: unknown): Validator {
    const check = this.compile(schema, "", 0);
    const run = (value: unknown, report: IssueReport | undefined): boolean => {
      this.#depth = 0;
      this.#followedBefore += this.#followed;
      this.#followed = 0;
      this.#tried = 0;
      try {
        return check(value, report);
      } catch (thrown) {
        return thrown === NEEDS_WATCH ? again(value, report) : unreadable(report);
      }
    };
    const again = (value: unknown, report: IssueReport | undefined): boolean => {
      report?.restart();
      this.#depth = 0;
      try {
        const answer = runWatched(() => check(value, report));
        if (answer !== undefined) return answer;
        report?.restart();
        return report !== undefined && report.wrong("a value that its patterns can check in time", value);
      } catch {
        return unreadable(report);
      }
    };
    const issues = (value: unknown, max?: number): readonly Issue[] => {
      if (run(value, undefined)) return NO_ISSUES;
      const report = new IssueReport(max);
      run(value, report);
      if (report.issues.length === 0) report.wrong(describeSchema(schema), value);
      return report.issues;
    };
    return {
      check: (value) => run(value, undefined),
      issues,
      errors: (value) => issues(value).map(parameterIssue),
    };
  }

  compile(schema: unknown, where: string, depth: number): Check {
    if (schema === true) return acceptAny;
    if (schema === false) return (value, report) => report !== undefined && report.wrong("nothing", value);
    if (!isPlainObject(schema)) throw schemaInvalidError(where, "a schema must be an object or a boolean");
    if (depth > MAX_SCHEMA_DEPTH)
      throw schemaInvalidError("", `it is nested deeper than ${MAX_SCHEMA_DEPTH} levels`);
    const node: JsonSchema = schema;
    const now = (child: unknown, at: string): Check => this.compile(child, `${where}/${at}`, depth + 1);
    const sub = node["haft:kind"] === "options" ? deferred(now) : now;
    const checks = predicates(node, where).map(
      (test): Check =>
        (value, report) =>
          test(value) ||
          (report !== undefined && report.wrong(describeSchema(node), value, listEnumValues(node))),
    );
    if (node.$ref !== undefined) checks.push(this.#reference(node.$ref));
    if (hasAny(node, OBJECT_KEYWORDS)) checks.push(...objectChecks(node, where, sub, this));
    if (hasAny(node, ARRAY_KEYWORDS)) checks.push(...arrayChecks(node, where, sub));
    if (hasAny(node, COMBINATORS)) {
      const most = Math.max(
        ...[node.anyOf, node.oneOf].map((list) => (Array.isArray(list) ? list.length : 0)),
      );
      if (most > 1) checks.push((value, report) => this.#mayTry(most, value, report));
      checks.push(...combinatorChecks(node, where, sub));
    }
    return combineChecks(checks);
  }

  #mayTry(alternatives: number, value: unknown, report: IssueReport | undefined): boolean {
    this.#tried += alternatives;
    return (
      this.#tried <= MAX_ALTERNATIVES ||
      (report !== undefined && report.wrong("a value with fewer alternatives to try", value))
    );
  }

  #reference(reference: unknown): Check {
    const schema = this.references.resolve(reference);
    let target = this.#targets.get(schema);
    if (target === undefined) {
      target = { check: acceptAny };
      this.#targets.set(schema, target);
      target.check = this.compile(schema, `(${String(reference)})`, 0);
    }
    const found = target;
    return (value, report) => {
      if (this.#depth >= MAX_REFERENCE_DEPTH || this.#followed >= MAX_REFERENCES) {
        return report !== undefined && report.wrong("nested less deeply", value);
      }
      this.#depth++;
      this.#followed++;
      const ok = found.check(value, report);
      this.#depth--;
      return ok;
    };
  }
}

/** Compiles on demand, since few options are set. */
function deferred(compile: CompileSubschema): CompileSubschema {
  return (schema, at) => {
    let check: Check | undefined;
    return (value, report) => (check ??= compile(schema, at))(value, report);
  };
}

function unreadable(report: IssueReport | undefined): false {
  return report?.wrong("readable plain JSON", undefined) ?? false;
}

const OBJECT_KEYWORDS = [
  "properties",
  "required",
  "additionalProperties",
  "patternProperties",
  "unevaluatedProperties",
  "propertyNames",
] as const;
const ARRAY_KEYWORDS = ["items", "prefixItems", "contains"] as const;
const COMBINATORS = ["anyOf", "oneOf", "allOf", "not", "if"] as const;

function hasAny(node: JsonSchema, keywords: readonly (keyof JsonSchema)[]): boolean {
  for (const keyword of keywords) if (node[keyword] !== undefined) return true;
  return false;
}

function closeRoot(schema: unknown, references: SchemaReferences): unknown {
  if (!isPlainObject(schema)) return schema;
  if (!collectKnownNames(schema, references).open) {
    return schema["additionalProperties"] === undefined
      ? { ...schema, unevaluatedProperties: false }
      : schema;
  }
  // Even an open schema rejects this name, an attack.
  return { ...schema, properties: { ...(schema["properties"] as object | undefined), ["__proto__"]: false } };
}

function arrayChecks(node: JsonSchema, where: string, sub: CompileSubschema): Check[] {
  const checks: Check[] = [];
  // Draft 7 and TypeBox tuples have an array in `items`, and the rest in `additionalItems`.
  const draft7 = Array.isArray(node.items);
  const positions = draft7 ? node.items : (node.prefixItems ?? []);
  if (!Array.isArray(positions))
    throw schemaInvalidError(`${where}/prefixItems`, "prefixItems must be an array");
  const restSchema = (draft7 ? node.additionalItems : node.items) ?? true;
  const first = positions.map((child, index) => sub(child, `${draft7 ? "items" : "prefixItems"}/${index}`));
  const rest = restSchema === true ? undefined : sub(restSchema, draft7 ? "additionalItems" : "items");
  if (first.length > 0 || rest !== undefined) {
    checks.push((value, report) => {
      if (!Array.isArray(value)) return true;
      let ok = true;
      for (let index = 0; index < value.length; index++) {
        const check = first[index] ?? rest;
        if (check !== undefined) ok = checkAt(check, value[index], index, report) && ok;
        if (!ok && (report === undefined || report.full)) return false;
      }
      return ok;
    });
  }
  if (node.contains !== undefined) {
    const check = sub(node.contains, "contains");
    const low = schemaCount(node, "minContains", where) ?? 1;
    const high = schemaCount(node, "maxContains", where) ?? Number.POSITIVE_INFINITY;
    checks.push((value, report) => {
      if (!Array.isArray(value)) return true;
      const found = value.filter((item) => check(item, undefined)).length;
      if (found >= low && found <= high) return true;
      return report !== undefined && report.wrong(`array with ${describeSchema(node.contains)}`, value);
    });
  }
  return checks;
}
