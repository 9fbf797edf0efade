import { Type } from "@sinclair/typebox";
import { expect, test } from "vitest";
import { checkConfig } from "../../../src/compose/lifecycle/checked-config.ts";
import { withoutSecrets } from "../../../src/compose/lifecycle/secrets.ts";
import { definePlugin } from "../../../src/contract/define-plugin.ts";
import { makeTool } from "../../support/kernel.ts";

const KEY = "sk-0123456789";
const schema = Type.Object({
  apiKey: Type.Optional(Type.String({ "x-secret": true })),
  account: Type.Optional(
    Type.Object({ name: Type.Optional(Type.String()), pin: Type.String({ writeOnly: true }) }),
  ),
  proxies: Type.Optional(Type.Array(Type.Object({ token: Type.String({ format: "password" }) }))),
  retry: Type.Optional(Type.Object({ times: Type.Integer() })),
  headers: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});

// Where an operator puts a secret who has misread what the plugin asks for.
test.for<[string, unknown]>([
  ["instead of the whole configuration", KEY],
  ["in a list instead of it", [KEY]],
  ["under a key that is misspelled", { apikey: KEY }],
  ["under one that has parts", { apikye: { value: [KEY] } }],
  ["instead of an object that has a secret", { account: KEY }],
  ["in a list instead of that", { account: [KEY] }],
  ["under a misspelled key further down", { account: { pni: KEY } }],
  ["instead of a list that has some", { proxies: KEY }],
  ["instead of one of its objects", { proxies: [KEY] }],
])("masks a secret %s", ([, config]) => {
  expect(JSON.stringify(withoutSecrets(schema, config))).not.toContain(KEY);
  const plugin = definePlugin({ id: "weather", config, configSchema: schema, tools: [makeTool("forecast")] });
  const { problems } = checkConfig(plugin);
  expect(problems).not.toEqual([]);
  expect(JSON.stringify(problems)).not.toContain(KEY);
});

test("shows a value in place of a secret if it is clearly not secret", () => {
  const config = { account: { name: "a" }, retry: { times: "x", tmies: 1 }, headers: { "x-a": { b: "c" } } };
  expect(withoutSecrets(schema, config)).toEqual(config);
});

test("masks secrets in branches and references, and nothing in a schema without secrets", () => {
  const branches = {
    $defs: {
      part: {
        type: "object",
        properties: { pin: { type: "string", writeOnly: true }, next: { $ref: "#/$defs/part" } },
      },
    },
    allOf: [{ $ref: "#/$defs/part" }, { properties: { name: { type: "string" } } }],
  };
  const config = { name: "a", next: { next: { pin: KEY, nmae: KEY } } };
  expect(withoutSecrets(branches, config)).toEqual({
    name: "a",
    next: { next: { pin: "[secret]", nmae: "[secret]" } },
  });
  expect(withoutSecrets(Type.Object({ a: Type.String() }), { b: 1 })).toEqual({ b: 1 });
});
