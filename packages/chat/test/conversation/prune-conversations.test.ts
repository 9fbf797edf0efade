import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Conversation } from "../../src/conversation/conversation.ts";
import { findConversation, pruneConversations } from "../../src/conversation/find-conversation.ts";

const DAY_S = 24 * 60 * 60;

function createFolder() {
  const parent = mkdtempSync(join(tmpdir(), "haft-chats-"));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const folder = join(parent, "chats");
  const begin = (key: string) => Conversation.begin({ folder, warn: (message) => expect.fail(message) }, key);
  return { folder, begin };
}

/** Conversations of 1,000 bytes, by the days since something was said in them. */
function withFiles(...days: number[]) {
  const { folder } = createFolder();
  mkdirSync(folder);
  for (const [index, ago] of days.entries()) {
    const file = join(folder, `${index}`.padStart(18, "0") + ".jsonl");
    writeFileSync(file, "x".repeat(1_000));
    const at = Date.now() / 1_000 - ago * DAY_S;
    utimesSync(file, at, at);
  }
  return {
    folder,
    left: () =>
      readdirSync(folder)
        .map((name) => Number.parseInt(name, 10))
        .toSorted((a, b) => a - b),
  };
}

test.each([
  ["old conversations", { days: 30, bytes: 1e9 }, [0, 1]],
  ["the oldest conversations above the size limit", { days: 365, bytes: 3_999 }, [0, 1, 2]],
  ["all but the newest conversation above the size limit", { days: 365, bytes: 10 }, [0]],
])("deletes %s", (_, keep, expected) => {
  const { folder, left } = withFiles(1, 2, 40, 50);
  pruneConversations(folder, keep);
  expect(left()).toEqual(expected);
});

test("writes the whole conversation again if another process deleted its file", () => {
  const { folder, begin } = createFolder();
  const conversation = begin("room");
  conversation.add([{ role: "user", content: "first" }], "run1");
  rmSync(join(folder, readdirSync(folder)[0]!));
  conversation.add([{ role: "user", content: "second" }], "run1");
  conversation.add([{ role: "user", content: "third" }], "run1");
  const read = findConversation(folder, "room", "run1");
  expect(read?.messages.map(({ content }) => content)).toEqual(["first", "second", "third"]);
  expect(read).toMatchObject({ broken: 0, torn: false });
  expect(statSync(join(folder, readdirSync(folder)[0]!)).mode & 0o777).toBe(0o600);
});
