import { checkValue } from "@haft/core/internal";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect } from "vitest";
import { createClientAt } from "../../../inspector/test/support/inspector-client.ts";
import { toJsonSchema } from "../cli/json/shape.ts";
import { names, shapes } from "../cli/json/shapes.ts";
import { start } from "./haft.ts";

/** `haft inspect`, started as anybody starts it. */
export async function startInspect(cwd: string, ...args: string[]) {
  const child = start(["inspect", "--json", "--no-config", ...args], cwd);
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), "line"),
    once(child, "close").then(() => [undefined]),
  ])) as [string | undefined];
  if (line === undefined) throw new Error(`haft inspect ended: ${stderr}`);
  const parsed: unknown = JSON.parse(line);
  expect(checkValue(toJsonSchema(shapes["inspect"]!, names), parsed, 5)).toEqual([]);
  return { child, page: createClientAt(parsed as Parameters<typeof createClientAt>[0]) };
}
