import type { Sender } from "@haft/core";
import { expect, test } from "vitest";
import { keysFor, parseSenderKey, type SenderKey } from "../../src/read/sender-key.ts";
import { policy, getProblems } from "../fixtures.ts";

function keys(...texts: string[]): (SenderKey & { text: string })[] {
  return texts.map((text) => {
    const key = parseSenderKey(text);
    if ("message" in key) throw new Error(key.message);
    return { ...key, text };
  });
}

const all = keys(
  "*",
  "system",
  "unknown",
  "id:1",
  "chat/id:1",
  "other/id:1",
  "phone:+49 170-1",
  "chat/phone:+491701",
  "username:@Ada",
  "name:Ada",
  "chat/name:Ada",
);
const fitting = (sender: Sender | "system" | undefined, from = all) =>
  keysFor(from, { messageChannel: "chat", ...(sender === undefined ? {} : { sender }) }).map(
    ({ text }) => text,
  );

test.each<[Sender | "system" | undefined, string[]]>([
  [{ id: "1", phone: "+491701", username: "ada" }, ["chat/id:1"]],
  [{ id: "2", phone: "+49 1701", username: "ada" }, ["chat/phone:+491701"]],
  [{ username: "ADA" }, ["username:@Ada"]],
  [{ id: "9" }, ["*"]],
  [{ id: "9", name: "Ada" }, ["*", "name:Ada", "chat/name:Ada"]],
  [{ name: "ada" }, ["*"]],
  ["system", ["system"]],
  [undefined, ["unknown"]],
  [{}, ["unknown"]],
  [{ id: "" }, ["unknown"]],
])("finds for %j the keys %j", (sender, expected) => expect(fitting(sender)).toEqual(expected));

test("does not match * for the host's own turns and unknown senders", () => {
  expect(fitting("system", keys("*"))).toEqual([]);
  expect(fitting(undefined, keys("*"))).toEqual([]);
});

test.each([
  ["ada", undefined],
  ["", undefined],
  ["sytem", "system"],
  ["unknwon", "unknown"],
  ["user:ada", "username:ada"],
  ["ids:1", "id:1"],
  ["id:", undefined],
  ["id: 1", undefined],
  ["phone:none", undefined],
  ["chat/*", undefined],
  ["id:*", "*"],
  ["chat/username:ada*", "*"],
  ["chat/", undefined],
])("rejects %j", (text, near) => {
  const [problem] = getProblems(() => policy({ senders: { [text]: { deny: ["read"] } } }));
  expect(problem).toMatchObject({ message: expect.any(String) });
  if (near !== undefined) expect(problem!.nearest).toContain(near);
});

test("rejects two keys for one sender", () => {
  const senders = { "phone:+49 1": {}, "phone:+491": {} };
  expect(getProblems(() => policy({ senders }))).toMatchObject([
    { path: 'senders["phone:+491"]', message: 'It means the same as "phone:+49 1"; merge both.' },
  ]);
});

test("rejects grants for a display name", () => {
  expect(getProblems(() => policy({ senders: { "name:Ada": { grant: ["write"] } } }))).toMatchObject([
    { path: 'senders["name:Ada"].grant' },
  ]);
});
