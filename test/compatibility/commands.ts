import { readMatrix } from "@haft/policy";
import assert from "node:assert/strict";
import type { Call, Difference, DifferenceFixture } from "./difference.ts";

async function started({ call }: DifferenceFixture, args: object): Promise<string> {
  const { details } = await call("exec", { background: true, ...args });
  return String(details["sessionId"]);
}

/** Asks for what is new until a text is there. */
async function pollUntil({ call }: DifferenceFixture, sessionId: string, wanted: RegExp): Promise<Call> {
  let seen = "";
  for (;;) {
    const polled = await call("process", { action: "poll", sessionId, timeout: 5_000 });
    seen += polled.text;
    if (wanted.test(seen)) return polled;
    assert.notEqual(polled.details["status"], "completed", `ended with: ${seen}`);
  }
}

export const ofCommands: readonly Difference[] = [
  {
    title: "`submit`",
    theirs: "It ends the input in the description. In OpenClaw it sends a carriage return.",
    here: "On a terminal it presses Enter. For a command without a terminal, it writes `data`, if any, and ends the input.",
    why: "Enter submits on a terminal. A command that reads a pipe waits for the end of the input, and a carriage return does not end it.",
    async shows(place) {
      const piped = await started(place, { command: "cat; echo ended" });
      await place.call("process", { action: "submit", sessionId: piped, data: "hello\n" });
      await pollUntil(place, piped, /hello[^]*ended/);
      const terminal = await started(place, { command: "read x; echo entered; read y", pty: true });
      await place.call("process", { action: "submit", sessionId: terminal });
      const { details } = await pollUntil(place, terminal, /entered/);
      assert.equal(details["status"], "running");
      await place.call("process", { action: "remove", sessionId: terminal });
    },
  },
  {
    title: "`workdir` outside of the workspace",
    theirs: "A command can start in any folder.",
    here: "The call fails with `OUTSIDE_WORKSPACE`, and nothing starts.",
    why: "`workdir` is the only path that a call of `exec` has beside its command. It follows the rules of all paths.",
    async shows({ call }) {
      assert.equal((await call("exec", { command: "pwd", workdir: ".." })).code, "OUTSIDE_WORKSPACE");
    },
  },
  {
    title: "`kill` of a command that has ended",
    theirs: "No active session is found, and the call fails.",
    here: "The call is `ok`, and reports that the command had already ended, with its exit code. An unknown id is an error.",
    why: "The command has ended, as requested. After an error, a model would look for another way to end it.",
    async shows(place) {
      const sessionId = await started(place, { command: "true" });
      await pollUntil(place, sessionId, /exited with code 0/);
      const { code, text, details } = await place.call("process", { action: "kill", sessionId });
      assert.deepEqual([code, details["exitCode"]], ["ok", 0]);
      assert.match(text, /had ended already/);
      const unknown = await place.call("process", { action: "kill", sessionId: "no-such" });
      assert.equal(unknown.code, "PROCESS_NOT_FOUND");
    },
  },
  {
    title: "The environment of commands",
    theirs: "All variables of the host except a list of dangerous ones.",
    here: "A list of harmless variables, and no other variable of the host.",
    why: "A list of dangerous variables is never complete, and commands should not find tokens in the environment.",
    async shows({ call }) {
      process.env["COMPATIBILITY_TOKEN"] = "secret";
      try {
        const { text } = await call("exec", { command: 'echo "[$COMPATIBILITY_TOKEN] $HOME"' });
        assert.match(text, /^\[\] \S+$/);
      } finally {
        delete process.env["COMPATIBILITY_TOKEN"];
      }
    },
  },
  {
    title: "Long output",
    theirs: "The last 200,000 characters are stored, and `process` shows background commands only.",
    here: "The result has the beginning and the end. `process log` returns all of it, also for a foreground command.",
    why: "The first error is often at the beginning. A model should not have to run a command again to read its output.",
    async shows({ call }) {
      const { text } = await call("exec", { command: "seq 1 100000" });
      assert.match(text, /^1\n2\n[^]*\n100000\n/);
      const more = JSON.parse(/\[All of it: process (\{.*\})\]/.exec(text)![1]!) as object;
      assert.match((await call("process", { ...more, offset: 50_000, limit: 1 })).text, /^50001$/m);
    },
  },
  {
    title: "The result of a call that waits for approval",
    theirs: "The model gets the question for the person, with `/approve ID …`.",
    here: "The model gets the message that nothing ran, and that it has to stop and wait. `details.prompt` and the event contain the question.",
    why: "A model that reads how to answer its own question tries to answer it.",
    async shows({ callInGroup }) {
      const { code, text, details } = await callInGroup("exec", { command: "ls" });
      assert.deepEqual([code, details["status"]], ["PENDING_APPROVAL", "pending_approval"]);
      assert.match(text, /has not run[^]*Stop and wait/);
      assert.doesNotMatch(text, /\/approve/);
      assert.match(String(details["prompt"]), /Reply with: \/approve \S+ allow-once\|allow-always\|deny/);
    },
  },
  {
    title: "Unknown keys",
    theirs: "`send-keys` types an unknown name as text. OpenClaw warns about some names.",
    here: "A name that looks like a key and is none is rejected, and nothing is typed.",
    why: "A misspelled name would be typed into a shell.",
    async shows(place) {
      const sessionId = await started(place, { command: "cat" });
      const typed = await place.call("process", { action: "send-keys", sessionId, keys: ["F99"] });
      assert.equal(typed.outcome.kind, "error");
      await place.call("process", { action: "submit", sessionId });
      const { text } = await pollUntil(place, sessionId, /exited with code 0/);
      assert.doesNotMatch(text, /F99/);
    },
  },
  {
    title: "Commands in sandboxed sessions",
    theirs: "`exec` needs approval outside of main sessions, and `bash` in all sessions.",
    here: "In a sandboxed session, neither needs approval. In a main session `bash` does, in a group session on the host both do.",
    why: "Approvals protect the host. A sandbox is useful because its commands need no approval.",
    async shows({ host }) {
      const rows = readMatrix(host.policy, host.catalogue);
      const words = (name: string) => {
        const { main, group, sandboxed } = rows.find((row) => row.name === name)!.cells;
        return [main.word, group.word, sandboxed.word];
      };
      assert.deepEqual(words("exec"), ["allow", "ask", "allow"]);
      assert.deepEqual(words("bash"), ["ask", "ask", "allow"]);
    },
  },
  {
    title: "`exec` with `host: node`",
    theirs: "The command runs on another connected machine.",
    here: "The same, for main sessions whose commands are not contained: in the folder that the node offers and the operator approved, under the rules for commands here. Without such a folder, the call fails with `EXEC_UNAVAILABLE` or the reason, and nothing runs.",
    why: "A command for another machine must not run on this one. The owner of the node and the operator decide about the folder.",
    async shows({ call }) {
      const { code, details } = await call("exec", { command: "echo ran", host: "node" });
      assert.equal(code, "EXEC_UNAVAILABLE");
      assert.deepEqual([details["requested"], details["configured"]], ["node", "gateway"]);
    },
  },
];
