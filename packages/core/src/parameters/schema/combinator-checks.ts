import { type Check, combineChecks, type CompileSubschema } from "./check.ts";
import { describeSchema, type IssueReport } from "./issues.ts";
import { isPlainObject, type JsonSchema, schemaInvalidError } from "./json-schema.ts";

export function listEnumValues({ enum: words, anyOf }: JsonSchema): readonly unknown[] {
  if (Array.isArray(words)) return words;
  return Array.isArray(anyOf) ? anyOf.flatMap((one) => (isPlainObject(one) ? listEnumValues(one) : [])) : [];
}

export function combinatorChecks(node: JsonSchema, where: string, sub: CompileSubschema): Check[] {
  const checks: Check[] = [];
  const list = (key: "allOf" | "anyOf" | "oneOf"): Check[] | undefined => {
    const branches = node[key];
    if (branches === undefined) return undefined;
    if (!Array.isArray(branches) || branches.length === 0) {
      throw schemaInvalidError(`${where}/${key}`, `${key} must be an array of schemas`);
    }
    return branches.map((branch, index) => sub(branch, `${key}/${index}`));
  };
  const allOf = list("allOf");
  if (allOf !== undefined) checks.push(combineChecks(allOf));
  const anyOf = list("anyOf");
  if (anyOf !== undefined) {
    checks.push(
      (value, report) =>
        anyOf.some((branch) => branch(value, undefined)) || noneFits(anyOf, node.anyOf, value, report),
    );
  }
  const oneOf = list("oneOf");
  if (oneOf !== undefined) {
    checks.push((value, report) => {
      const fitting = oneOf.filter((branch) => branch(value, undefined)).length;
      if (fitting === 1) return true;
      if (fitting === 0) return noneFits(oneOf, node.oneOf, value, report);
      return report !== undefined && report.wrong("only one of the alternatives at once", value);
    });
  }
  if (node.not !== undefined) {
    const refused = sub(node.not, "not");
    checks.push(
      (value, report) =>
        !refused(value, undefined) ||
        (report !== undefined && report.wrong(`not ${describeSchema(node.not)}`, value)),
    );
  }
  if (node.if !== undefined) {
    const condition = sub(node.if, "if");
    const then = sub(node.then ?? true, "then");
    const otherwise = sub(node.else ?? true, "else");
    checks.push((value, report) => (condition(value, undefined) ? then : otherwise)(value, report));
  }
  return checks;
}

function noneFits(
  branches: readonly Check[],
  schemas: unknown,
  value: unknown,
  report: IssueReport | undefined,
): false {
  if (report === undefined) return false;
  const alternatives = branches.map((branch) => {
    const fork = report.fork();
    branch(value, fork);
    return fork;
  });
  return report.closest(
    alternatives,
    value,
    describeSchema({ anyOf: schemas }),
    listEnumValues({ anyOf: schemas }),
  );
}
