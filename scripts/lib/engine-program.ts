/**
 * Uses `core`, `policy`, `commands` and `plugin-sdk` like a host: an SDK plugin in a session whose policy
 * checks a command line. Prints results, and throws if they are wrong.
 */
export const HOST_PROGRAM = `
import assert from "node:assert/strict";
import { analyzeCommand } from "@haft/commands";
import { HaftError, contentToText } from "@haft/core";
import { Registry, SessionFactory } from "@haft/core/kernel";
import { definePlugin, defineTool, text, Type } from "@haft/plugin-sdk";
import { createPolicy } from "@haft/policy";

const count = defineTool({
  name: "count",
  description: "Counts words.",
  parameters: Type.Object({ words: Type.String(), times: Type.Optional(Type.Integer({ minimum: 1 })) }),
  effects: [],
  aliases: { words: ["text"] },
  async execute(_id, { words, times = 1 }, signal) {
    signal.throwIfAborted();
    if (words === "") throw new HaftError("NO_WORDS", "There are no words.", { category: "input", fix: "Give some." });
    return { content: [text(String(words.split(" ").length * times))], details: {} };
  },
});
const plugin = definePlugin({ id: "counting", tools: [count] });
// Where its code is: hosts keep that from their sessions.
assert.match(plugin.source, /host\\.mjs$/);

const registry = new Registry({ plugins: [plugin] });
const tools = await registry.survey(console);
const policy = createPolicy({ sessions: { group: { deny: ["count"] } } }, { tools });
const sessions = new SessionFactory({ registry, policy });
const workspace = { fs: {}, describe: () => ({ target: "host", cwd: "/", mounts: [], boundary: "none" }) };
const session = await sessions.open({ kind: "main", workspace });
const call = (given) => session.call({ name: "count", arguments: given });

const counted = await call('{"text":"one two three","times":"2"}');
assert.equal(contentToText(counted.content), "6", JSON.stringify(counted));
assert.equal((await call({ words: "" })).code, "NO_WORDS");
assert.equal((await call({ wrods: "a" })).code, "INVALID_ARGUMENTS");
assert.equal(session.ledger().length, 3);
await session.close();

const group = await sessions.open({ kind: "group", workspace });
assert.equal((await group.call({ name: "count", arguments: { words: "a" } })).kind, "blocked");
assert.match((await group.explain("count")).reason, /count/);
await group.close();

const { commands, unclear } = await analyzeCommand("nice git status | head", { cwd: "/" });
assert.deepEqual([commands.map(({ name }) => name), unclear], [["git", "head"], undefined]);
console.log("A plugin, a session, a policy and a command line work.");
`;
