import { contentToText } from "@haft/core";
import { join } from "node:path";
import { expect, test } from "vitest";
import { surveyMcp } from "../../src/index.ts";
import { mountServer, createTestWorkspace } from "./support.ts";

// The protocol without sessions, in which servers ask by answering.

const textOf = (outcome: { content: Parameters<typeof contentToText>[0] }) => contentToText(outcome.content);

async function modern() {
  const at = createTestWorkspace();
  const args = ["--no-warnings", join(import.meta.dirname, "modern-program.ts"), at.notes];
  const server = { name: "prog", reach: { command: process.execPath, args }, tools: [] };
  return mountServer(server, { at });
}

test("uses the 2026 revision if the server supports it, without a second start", async () => {
  const at = createTestWorkspace();
  const args = ["--no-warnings", join(import.meta.dirname, "modern-program.ts"), at.notes];
  const server = { name: "prog", reach: { command: process.execPath, args } };
  const survey = await surveyMcp(server, { place: { processes: at.processes } });
  expect(survey).toMatchObject({ era: "modern", info: { name: "modern", version: "3" }, problems: [] });
  expect(survey.tools.map(({ name }) => name)).toEqual(["echo", "change", "ask", "wait", "hang"]);
  expect(at.noted()).toHaveLength(1);
});

test("calls tools, reports progress, and reacts to change notifications", async () => {
  const { call, session } = await modern();
  const updates: string[] = [];
  session.subscribe((event) => {
    if (event.type === "tool-update") updates.push(contentToText(event.partial.content));
  });
  expect(textOf(await call("echo", { text: "new" }))).toBe("new");
  expect(textOf(await call("wait"))).toBe("waited");
  expect(updates).toEqual(["1 of 2"]);
  expect(textOf(await call("change", { text: "Another tale." }))).toBe("changed");
  await expect.poll(async () => (await call("echo", { text: String(Math.random()) })).kind).toBe("error");
  expect(await call("echo", { text: "x" })).toMatchObject({ code: "MCP_TOOL_CHANGED", receipt: "none" });
});

test("refuses a server's questions to the user", async () => {
  const { call } = await modern();
  const outcome = await call("ask");
  expect(outcome).toMatchObject({ kind: "error", receipt: "unknown" });
  expect(textOf(outcome)).toContain("elicitation");
});

test("notifies the server of an aborted call", async () => {
  const { call, at } = await modern();
  const stop = new AbortController();
  const hanging = call("hang", {}, stop.signal);
  await expect.poll(() => at.noted()).toContain("called hang");
  stop.abort();
  expect(await hanging).toMatchObject({ kind: "cancelled" });
  await expect.poll(() => at.noted()).toContain("aborted");
  expect(textOf(await call("echo", { text: "on" }))).toBe("on");
});
