import { contentToText } from "@haft/core";
import { join } from "node:path";
import { expect, test } from "vitest";
import { surveyMcp } from "../../src/index.ts";
import { mountServer, createTestWorkspace } from "./support.ts";

// The protocol without sessions, in which servers ask by answering.

const said = (outcome: { content: Parameters<typeof contentToText>[0] }) => contentToText(outcome.content);

async function modern() {
  const at = createTestWorkspace();
  const args = ["--no-warnings", join(import.meta.dirname, "modern-program.ts"), at.notes];
  const server = { name: "prog", reach: { command: process.execPath, args }, tools: [] };
  return mountServer(server, { at });
}

test("it is spoken where a server does, and no server is started twice for that", async () => {
  const at = createTestWorkspace();
  const args = ["--no-warnings", join(import.meta.dirname, "modern-program.ts"), at.notes];
  const server = { name: "prog", reach: { command: process.execPath, args } };
  const survey = await surveyMcp(server, { place: { processes: at.processes } });
  expect(survey).toMatchObject({ era: "modern", info: { name: "modern", version: "3" }, problems: [] });
  expect(survey.tools.map(({ name }) => name)).toEqual(["echo", "change", "ask", "wait", "hang"]);
  expect(at.noted()).toHaveLength(1);
});

test("calls, progress, and changes that the server tells of", async () => {
  const { call, session } = await modern();
  const updates: string[] = [];
  session.subscribe((event) => {
    if (event.type === "tool-update") updates.push(contentToText(event.partial.content));
  });
  expect(said(await call("echo", { text: "new" }))).toBe("new");
  expect(said(await call("wait"))).toBe("waited");
  expect(updates).toEqual(["1 of 2"]);
  expect(said(await call("change", { text: "Another tale." }))).toBe("changed");
  await expect.poll(async () => (await call("echo", { text: String(Math.random()) })).kind).toBe("error");
  expect(await call("echo", { text: "x" })).toMatchObject({ code: "MCP_TOOL_CHANGED", receipt: "none" });
});

test("what it wants to be asked of the user is asked of nobody", async () => {
  const { call } = await modern();
  const outcome = await call("ask");
  expect(outcome).toMatchObject({ kind: "error", receipt: "unknown" });
  expect(said(outcome)).toContain("elicitation");
});

test("a call that is aborted is told to the server", async () => {
  const { call, at } = await modern();
  const stop = new AbortController();
  const hanging = call("hang", {}, stop.signal);
  await expect.poll(() => at.noted()).toContain("called hang");
  stop.abort();
  expect(await hanging).toMatchObject({ kind: "cancelled" });
  await expect.poll(() => at.noted()).toContain("aborted");
  expect(said(await call("echo", { text: "on" }))).toBe("on");
});
