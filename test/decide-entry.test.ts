import { join, relative } from "node:path";
import { build } from "rolldown";
import { expect, it } from "vitest";
import { root } from "../scripts/lib/workspace.ts";

it("@haft/policy/decide contains no reader of documents, no check, no warning and no explanation", async () => {
  const source = join(root, "packages/policy/src");
  const { output } = await build({
    input: join(source, "create-checked-policy.ts"),
    platform: "node",
    write: false,
    resolve: { conditionNames: ["@haft/source", "node", "import", "default"] },
  });
  const modules = output.flatMap((chunk) => (chunk.type === "chunk" ? Object.entries(chunk.modules) : []));
  const names = modules
    .filter(([, { renderedLength }]) => renderedLength > 0)
    .map(([path]) => relative(source, path));
  expect(names).toContain("decide/evaluate.ts");
  const other =
    /^(?:read\/(?:parse-policy|check-|policy-schema|shape)|review\/|rules\/(?:check-|argument-check|shadowed)|explain\/)/;
  expect(names.filter((name) => other.test(name))).toEqual([]);
});
