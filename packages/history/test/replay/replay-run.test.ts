import type { Sender } from "@haft/core";
import { createMemoryStore } from "@haft/core/kernel";
import { type HostOptions, createHost } from "@haft/host";
import { SnapshotStore } from "@haft/host/internal/snapshots";
import { definePlugin, defineTool, text, Type } from "@haft/plugin-sdk";
import { createDirectoryJournal } from "@haft/tools-fs";
import { withoutUndefined } from "@haft/utils";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { getStateFolder, temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { view } from "../../../../test/support/view.ts";
import { replayRun } from "../../src/replay/replay-run.ts";

/** A recorded conversation in a folder, as a host keeps it. */
async function recorded(
  folder: string,
  calls: readonly [name: string, args: unknown, sender?: Sender][],
  more: Pick<HostOptions, "plugins"> = {},
  again: HostOptions = more,
) {
  const state = getStateFolder(folder);
  const snapshots = new SnapshotStore(join(state, "snapshots"));
  const memory = createMemoryStore();
  const files = await createHost({ workspaceDir: folder, stateDir: state });
  const store = memory;
  const host = await createHost({
    workspaceDir: folder,
    stateDir: state,
    store,
    record: "full",
    policy: {},
    ...more,
  });
  const session = await host.openSession({ sessionKey: "s" });
  for (const [name, args, sender] of calls)
    await session.call({ name, arguments: args }, withoutUndefined({ sender }));
  await host.close();
  await files.close();
  const [run] = (await memory.runs()).items;
  const { items } = await memory.calls({ runId: run!.runId, order: "oldest" });
  const journal = createDirectoryJournal(join(state, "journal"));
  const replay = (live: readonly string[] = []) =>
    replayRun(run!, items, {
      sources: { snapshots, journal, workspace: async () => files.workspace },
      live,
      host: again,
    });
  return { run: run!, items, snapshots, replay };
}

describe("replaying a run", () => {
  it.skipIf(!view.available)("gives the same outcomes if nothing else changed", async () => {
    const folder = await temporaryFolder();
    mkdirSync(join(folder, "src"));
    writeFileSync(join(folder, "src/total.txt"), "one\ntwo\n");
    const { replay } = await recorded(folder, [
      ["read", { path: "src/total.txt" }],
      ["edit", { path: "src/total.txt", oldText: "two", newText: "three" }],
      ["exec", { command: "cat src/total.txt; pwd; date" }],
      ["write", { path: "new.txt", content: "new\n" }],
      ["exec", { command: "ls; exit 3" }],
    ]);
    const replayed = await replay();
    expect(replayed.files.unsure).toEqual([]);
    expect(replayed.calls.map(({ verdict }) => verdict)).toEqual(["same", "same", "same", "same", "same"]);
  });
});

it("repeats each call for its recorded sender", async () => {
  const folder = await temporaryFolder();
  const config = { senders: { "id:mallory": { deny: ["write"] } } };
  const { replay } = await recorded(
    folder,
    [
      ["write", { path: "a.txt", content: "a\n" }, { id: "ada" }],
      ["write", { path: "b.txt", content: "b\n" }, { id: "mallory" }],
    ],
    {},
    { administratorPolicy: { config, source: "rules of the machine" } },
  );
  const replayed = await replay();
  expect(replayed.calls.map(({ verdict }) => verdict)).toEqual(["same", "unsaid"]);
});

describe("calls beyond the files", () => {
  const PLUGIN = definePlugin({
    id: "reach",
    tools: [
      defineTool({
        name: "tell",
        description: "Tells somebody.",
        parameters: Type.Object({ text: Type.String() }),
        effects: ["message"],
        execute: async (_id, { text: said }) => ({ content: [text(`told ${said} ${++told}`)], details: {} }),
      }),
    ],
  });
  let told = 0;

  it("are answered from the record, and repeated only if named", async () => {
    const folder = await temporaryFolder();
    const { replay } = await recorded(
      folder,
      [
        ["tell", { text: "it" }],
        ["ls", {}],
      ],
      { plugins: [PLUGIN] },
    );
    expect(told).toBe(1);
    const replayed = await replay();
    expect(told).toBe(1);
    expect(replayed.calls.map(({ verdict, why }) => [verdict, why])).toEqual([
      ["record", "it may reach beyond the files (message)"],
      ["same", undefined],
    ]);
    const live = await replay(["tell"]);
    expect(told).toBe(2);
    expect(live.calls.map(({ verdict }) => verdict)).toEqual(["differs", "same"]);
  });

  it("are not repeated if their program does not exist", async () => {
    const folder = await temporaryFolder();
    const { replay } = await recorded(folder, [["tell", { text: "it" }]], { plugins: [PLUGIN] }, {});
    const [call] = (await replay(["tell"])).calls;
    expect(call).toMatchObject({ verdict: "differs", why: expect.stringContaining("error") });
  });
});
