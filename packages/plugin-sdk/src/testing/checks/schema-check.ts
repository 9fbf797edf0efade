import { messageOf } from "@haft/core";
import type { ToolDefinition } from "@haft/core/kernel";
import { type PortabilityFinding, portabilityOf } from "../portability/portability-of.ts";
import type { CheckResult } from "./report.ts";

/** Modes that a host has to ask for, with schemas of a kind of their own. */
const STRICT = /-strict$/;
const MOST_NAMED = 3;

/** What providers of models make of its schema: which keyword is refused where. */
export function checkSchema(tool: ToolDefinition): CheckResult[] {
  let findings: PortabilityFinding[];
  try {
    findings = portabilityOf({ ...tool, execute: () => {} });
  } catch (thrown) {
    return [{ check: "schema", status: "problem", where: tool.name, message: messageOf(thrown) }];
  }
  const breaking = findings.filter(({ severity }) => severity === "breaks");
  const places = Map.groupBy(
    breaking.filter(({ provider }) => !STRICT.test(provider)),
    ({ keyword, path, fix }) => JSON.stringify([keyword, path, fix]),
  );
  const results = [...places.values()].map((all): CheckResult => {
    const [{ keyword, path, problem, fix }] = all as [PortabilityFinding];
    const providers = [...new Set(all.map(({ provider }) => provider))].join(", ");
    return {
      check: "schema",
      status: "problem",
      where: [tool.name, path, keyword].filter(Boolean).join("."),
      message: `${providers}: ${problem}`,
      fix,
    };
  });
  if (results.length > 0) return results;
  const strict = breaking.map(({ provider, path, keyword }) => [
    provider,
    [path, keyword].filter(Boolean).join("."),
  ]);
  const named = [...Map.groupBy(strict, ([provider]) => provider)].map(([provider, all]) => {
    const where = [...new Set(all.map(([, place]) => place))];
    const more = where.length > MOST_NAMED ? ` and ${where.length - MOST_NAMED} more` : "";
    return `${provider} refuses ${where.slice(0, MOST_NAMED).join(", ")}${more}`;
  });
  const but = named.length === 0 ? "" : `; as it is, ${named.join("; ")}`;
  return [{ check: "schema", status: "ok", where: tool.name, message: `every provider takes it${but}.` }];
}
