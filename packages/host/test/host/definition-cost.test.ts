import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { createHost } from "../../src/host/host.ts";

const BUILT_IN = "read write edit apply_patch ls find grep exec process bash".split(" ");
/** Of all ten, as characters of name, description and schema as JSON, divided by 4. */
const MAX_TOKENS = 1_800;

test("the definitions of the built-in tools fit into a small part of the context", async () => {
  const host = await createHost({ workspaceDir: await temporaryFolder(), stateDir: false });
  onTestFinished(() => host.close());
  const session = await host.openSession({ kind: "main" });
  const costs = session.tools().map(({ name, description, parameters }) => {
    expect(description.length).toBeGreaterThan(50);
    return { name, tokens: JSON.stringify({ name, description, inputSchema: parameters }).length / 4 };
  });
  const builtIn = costs.filter(({ name }) => BUILT_IN.includes(name));
  expect(builtIn.map(({ name }) => name).toSorted()).toEqual(BUILT_IN.toSorted());
  const all = builtIn.reduce((sum, { tokens }) => sum + tokens, 0);
  expect(all).toBeLessThanOrEqual(MAX_TOKENS);
});
