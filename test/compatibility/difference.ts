import { text, contentToText, type ToolOutcome } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import { definePlugin, defineTool, Type } from "@haft/plugin-sdk";
import { createHost, type Host } from "haft";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Something that Haft does in another way, on purpose. A row of docs/reference/compatibility.md is made of each. */
export interface Difference {
  /** What it is about, as a few words. */
  title: string;
  /** What the descriptions that Haft was built from say, or OpenClaw does. */
  theirs: string;
  /** What Haft does. */
  here: string;
  why: string;
  /** Tries it, and throws where Haft does not do what `here` says. */
  shows(place: DifferenceFixture): Promise<void>;
}

export interface Call {
  /** `ok`, or the code of the outcome. */
  code: string;
  text: string;
  outcome: ToolOutcome;
  details: Record<string, unknown>;
}

/** A host with a folder of its own, and one session of each kind that works on it. */
export interface DifferenceFixture {
  cwd: string;
  host: Host;
  session: Session;
  /** A call in the main session. */
  call(name: string, args: unknown): Promise<Call>;
  /** A call in the group session. */
  callInGroup(name: string, args: unknown): Promise<Call>;
  close(): Promise<void>;
}

const pin = defineTool({
  name: "city_pin",
  description: "Pins a place.",
  parameters: Type.Object({}),
  effects: [],
  execute: () => ({ content: [text("pinned")], details: {} }),
});

/** A plugin with one tool, and with one that it keeps out of every session. */
const city = definePlugin({ id: "city", tools: [pin, { names: ["city_map"], factory: () => null }] });

export async function openDifferenceFixture(): Promise<DifferenceFixture> {
  const cwd = await realpath(await mkdtemp(join(tmpdir(), "haft-compatibility-")));
  const host = await createHost({
    workspaceDir: cwd,
    stateDir: false,
    administratorPolicy: false,
    plugins: [city],
  });
  const session = await host.openSession({ kind: "main" });
  const group = await host.openSession({ kind: "group" });
  const callIn = async (of: Session, name: string, args: unknown): Promise<Call> => {
    const outcome = await of.call({ name, arguments: args });
    const code = outcome.kind === "ok" ? "ok" : outcome.code;
    return { code, text: contentToText(outcome.content), outcome, details: outcome.details };
  };
  return {
    cwd,
    host,
    session,
    call: (name, args) => callIn(session, name, args),
    callInGroup: (name, args) => callIn(group, name, args),
    close: async () => {
      await host.close();
      await rm(cwd, { recursive: true, force: true });
    },
  };
}
