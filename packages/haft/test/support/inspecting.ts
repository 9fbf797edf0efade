import { checkValue } from "@haft/core/internal";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect } from "vitest";
import { schemaOf } from "../cli/json/shape.ts";
import { names, shapes } from "../cli/json/shapes.ts";
import { start } from "./haft.ts";
import { askedAt } from "./inspected.ts";

/** `haft inspect`, started as anybody starts it. */
export async function inspecting(cwd: string, ...args: string[]) {
  const child = start(["inspect", "--json", "--no-config", ...args], cwd);
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), "line"),
    once(child, "close").then(() => [undefined]),
  ])) as [string | undefined];
  if (line === undefined) throw new Error(`haft inspect ended: ${stderr}`);
  const said: unknown = JSON.parse(line);
  expect(checkValue(schemaOf(shapes["inspect"]!, names), said, 5)).toEqual([]);
  return { child, page: askedAt(said as Parameters<typeof askedAt>[0]) };
}
