import { isObject } from "@haft/utils";
import type { AliasTable } from "./aliases.ts";
import { type BoundedPattern, runWithLimit } from "./bounded-pattern.ts";
import { type Check, combineChecks, checkAt, type CompileSubschema } from "./check.ts";
import { describeSchema, type IssueReport } from "./issues.ts";
import {
  compilePattern,
  isPlainObject,
  type JsonObject,
  type JsonSchema,
  collectKnownNames,
  schemaInvalidError,
  type SchemaReferences,
} from "./json-schema.ts";

const refuse: Check = (value, report) => report !== undefined && report.wrong("nothing", value);

const MAX_PATTERNS = 100;

interface PropertyRule {
  check: Check | undefined;
  required: boolean;
  schema: unknown;
}

export function objectChecks(
  node: JsonSchema,
  where: string,
  sub: CompileSubschema,
  document: { references: SchemaReferences; aliases: AliasTable },
): Check[] {
  const { properties = {}, patternProperties = {}, required = [] } = node;
  if (!isPlainObject(properties))
    throw schemaInvalidError(`${where}/properties`, "properties must be an object");
  if (!isPlainObject(patternProperties)) {
    throw schemaInvalidError(`${where}/patternProperties`, "patternProperties must be an object");
  }
  if (!Array.isArray(required) || !required.every((name) => typeof name === "string")) {
    throw schemaInvalidError(`${where}/required`, "required must be an array of names");
  }
  if (Object.keys(patternProperties).length > MAX_PATTERNS)
    throw schemaInvalidError(`${where}/patternProperties`, `there are more than ${MAX_PATTERNS}`);
  const patterns = Object.entries(patternProperties).map(([pattern, child]) => ({
    pattern: compilePattern(pattern, `${where}/patternProperties`),
    check: sub(child, `patternProperties/${pattern}`),
  }));
  const rules = new Map<string, PropertyRule>();
  for (const [name, child] of Object.entries(properties)) {
    const matching = patterns
      .filter(({ pattern }) => runWithLimit(() => pattern.test(name)) === true)
      .map(({ check }) => check);
    const check = combineChecks([sub(child, `properties/${name}`), ...matching]);
    rules.set(name, { check, required: false, schema: child });
  }
  for (const name of required) {
    const rule = rules.get(name) ?? { check: undefined, required: true, schema: true };
    rules.set(name, { ...rule, required: true });
  }
  for (const [alias, canonical] of document.aliases) {
    if (rules.has(canonical) && !rules.has(alias))
      rules.set(alias, { check: refuse, required: false, schema: false });
  }
  const checks: Check[] = [];
  const rest = additionalCheck(node, sub, rules, document.references);
  if (rules.size > 0 || patterns.length > 0 || rest !== undefined) {
    checks.push(membersCheck(rules, patterns, rest, node["haft:kind"] === "options"));
  }
  if (node.propertyNames !== undefined) checks.push(namesCheck(sub(node.propertyNames, "propertyNames")));
  return checks;
}

type Additional = (value: unknown, name: string, report: IssueReport | undefined) => boolean;

function additionalCheck(
  node: JsonSchema,
  sub: CompileSubschema,
  rules: ReadonlyMap<string, PropertyRule>,
  references: SchemaReferences,
): Additional | undefined {
  const { additionalProperties = true, unevaluatedProperties = true } = node;
  if (additionalProperties === false) {
    return (value, name, report) => report !== undefined && report.unknown(name, value, rules.keys());
  }
  if (additionalProperties !== true) {
    const check = sub(additionalProperties, "additionalProperties");
    return (value, name, report) => checkAt(check, value, name, report);
  }
  if (unevaluatedProperties !== false) return undefined;
  const { names, patterns, open } = collectKnownNames(
    { ...node, unevaluatedProperties: undefined },
    references,
  );
  if (open) return undefined;
  return (value, name, report) =>
    names.has(name) ||
    patterns.some((pattern) => pattern.test(name)) ||
    (report !== undefined && report.unknown(name, value, names));
}

function membersCheck(
  rules: ReadonlyMap<string, PropertyRule>,
  patterns: readonly { pattern: BoundedPattern; check: Check }[],
  rest: Additional | undefined,
  areOptions: boolean,
): Check {
  const required = [...rules].filter(([, rule]) => rule.required);
  return (value, report) => {
    if (!isPlainObject(value) && !(areOptions && isObject(value))) return true;
    let absent = required.length;
    let ok = true;
    for (const name in value) {
      const member = value[name];
      const rule = rules.get(name);
      // Reports a misspelled option even if its value is `undefined`.
      if (member === undefined && !(areOptions && rule === undefined)) continue;
      if (rule?.required === true) absent--;
      if (rule?.check !== undefined) ok = checkAt(rule.check, member, name, report) && ok;
      else ok = undeclaredMember(member, name, patterns, rest, report) && ok;
      if (!ok && (report === undefined || report.full)) return false;
    }
    return absent === 0 ? ok : report !== undefined && reportMissing(value, required, report);
  };
}

function undeclaredMember(
  member: unknown,
  name: string,
  patterns: readonly { pattern: BoundedPattern; check: Check }[],
  rest: Additional | undefined,
  report: IssueReport | undefined,
): boolean {
  let matched = false;
  for (const { pattern, check } of patterns) {
    if (!pattern.test(name)) continue;
    matched = true;
    if (!checkAt(check, member, name, report)) return false;
  }
  return matched || rest === undefined || rest(member, name, report);
}

function reportMissing(
  value: JsonObject,
  required: readonly [string, PropertyRule][],
  report: IssueReport,
): false {
  for (const [name, rule] of required) {
    if (!Object.hasOwn(value, name) || value[name] === undefined)
      report.missing(name, describeSchema(rule.schema));
  }
  return false;
}

function namesCheck(check: Check): Check {
  return (value, report) => {
    if (!isPlainObject(value)) return true;
    return Object.keys(value).every((name) => checkAt(check, name, name, report));
  };
}
