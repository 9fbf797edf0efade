import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import web from "../src/index.ts";
import { webFetch } from "../src/web-fetch.ts";

test("haft.plugin.json matches the code (npm run version:packages writes it)", () => {
  const said = JSON.parse(readFileSync(new URL("../haft.plugin.json", import.meta.url), "utf8")) as object;
  const { name, label, description, effects, parameters } = webFetch;
  expect(said).toMatchObject({
    id: web.id,
    name: web.name,
    contract: web.contract,
    tools: [JSON.parse(JSON.stringify({ name, label, description, effects, parameters }))],
  });
});
