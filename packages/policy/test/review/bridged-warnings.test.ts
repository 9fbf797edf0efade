import type { ToolFacts } from "@haft/core";
import { expect, test } from "vitest";
import { createPolicy } from "../../src/create-policy.ts";
import type { PolicyConfig } from "../../src/read/policy-config.ts";
import { tools } from "../fixtures.ts";

const forecast: ToolFacts = {
  id: "w/forecast",
  name: "forecast",
  pluginId: "w",
  optional: false,
  effects: ["network"],
  groups: ["bridged"],
  builtIn: false,
};

const found = (config: PolicyConfig) =>
  createPolicy(config, { tools: [...tools, forecast] }).warnings.map(({ path, message }) => [path, message]);

test.each<[PolicyConfig, string]>([
  [{ sessions: { sandboxed: { grant: ["forecast"] } } }, "sessions.sandboxed.grant[0]"],
  [{ sessions: { sandboxed: { grant: ["group:plugins"] } } }, "sessions.sandboxed.grant[0]"],
  [{ grant: ["w"] }, "grant[0]"],
])("warns about a tool of another framework in sandboxed sessions: %j", (config, path) => {
  expect(found(config)).toEqual([[path, expect.stringContaining("forecast of another framework")]]);
});

test.each<PolicyConfig>([
  { sessions: { group: { grant: ["forecast"] } } },
  { sessions: { sandboxed: { deny: ["forecast"] } } },
])("does not warn about other grants: %j", (config) => expect(found(config)).toEqual([]));
