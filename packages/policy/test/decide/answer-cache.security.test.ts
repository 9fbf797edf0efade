import type { ToolFacts } from "@haft/core";
import { expect, test } from "vitest";
import { createPolicy } from "../../src/create-policy.ts";

// Tools that sessions have of their own are asked about by what they are described as: no more may be kept than that says.

const tool = (parts: Partial<ToolFacts> = {}): ToolFacts => ({
  id: "p/look",
  name: "look",
  pluginId: "p",
  optional: false,
  effects: ["read"],
  groups: [],
  builtIn: false,
  ...parts,
});

const policy = createPolicy(
  { deny: ["effect:write", "group:secret", "q", "other"], allow: ["group:plugins", "p"] },
  {
    tools: [
      tool(),
      tool({ id: "q/x", name: "x", pluginId: "q" }),
      tool({ id: "p/other", name: "other" }),
      tool({ id: "p/w", name: "w", effects: ["write"], groups: ["secret"] }),
    ],
  },
);
const session = policy.forSession({ kind: "main", agentId: "main", model: "", messageChannel: "" });

test("shares answers between tools with equal facts", () => {
  expect(session.visibility(tool())).toBe(session.visibility(tool()));
  expect(session.call(tool(), {})).toBe(session.call(tool(), {}));
});

test.each<Partial<ToolFacts>>([
  { effects: ["write"] },
  { effects: ["read", "write"] },
  { groups: ["secret"] },
  { pluginId: "q" },
  { name: "other" },
])("separates answers for tools that differ: %o", (parts) => {
  expect(session.visibility(tool()).effect).toBe("allow");
  expect(session.visibility(tool(parts)).effect).toBe("deny");
  expect(session.call(tool(parts), {}).effect).toBe("deny");
});
