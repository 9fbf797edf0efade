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
    theirs: "It ends the input in the description, and sends a carriage return in OpenClaw.",
    here: "On a terminal it presses Enter. Of a command without one it ends the input, after `data` if there is some.",
    why: "Enter is what submits on a terminal. A command that reads a pipe waits for the end, which no carriage return is.",
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
    theirs: "A command starts in any folder.",
    here: "`OUTSIDE_WORKSPACE`, and nothing is started.",
    why: "It is the one path that a call of `exec` names beside its command, and means what any other path means.",
    async shows({ call }) {
      assert.equal((await call("exec", { command: "pwd", workdir: ".." })).code, "OUTSIDE_WORKSPACE");
    },
  },
  {
    title: "`kill` of a session that has ended",
    theirs: "No active session is found, and the call has failed.",
    here: "It says that the session had ended already, with its exit code, and is `ok`. Of a session nobody knows it is an error.",
    why: "What was wanted is so; an error would send a model looking for another way to end it.",
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
    theirs: "That of the host, without a list of dangerous variables.",
    here: "A list of harmless variables, and nothing else of the host's.",
    why: "A list of what is dangerous is never complete, and tokens in the environment are what a command should not find.",
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
    title: "Output that is too long",
    theirs: "The last 200,000 characters are kept, and `process` shows commands in the background only.",
    here: "Beginning and end are shown, and all of it can be read with `process log`, also of a command that ran in the foreground.",
    why: "The first error is often at the beginning, and to run a command again is no way to read what it said.",
    async shows({ call }) {
      const { text } = await call("exec", { command: "seq 1 100000" });
      assert.match(text, /^1\n2\n[^]*\n100000\n/);
      const more = JSON.parse(/\[All of it: process (\{.*\})\]/.exec(text)![1]!) as object;
      assert.match((await call("process", { ...more, offset: 50_000, limit: 1 })).text, /^50001$/m);
    },
  },
  {
    title: "A call that waits for approval, as the model reads it",
    theirs: "The question for the person, with `/approve ID …`, is the answer to the call.",
    here: "The model is told that nothing ran, and to stop and wait. The question is in `details.prompt` and in the event.",
    why: "A model that reads how to answer its own question tries to.",
    async shows({ callInGroup }) {
      const { code, text, details } = await callInGroup("exec", { command: "ls" });
      assert.deepEqual([code, details["status"]], ["PENDING_APPROVAL", "pending_approval"]);
      assert.match(text, /has not run[^]*Stop and wait/);
      assert.doesNotMatch(text, /\/approve/);
      assert.match(String(details["prompt"]), /Reply with: \/approve \S+ allow-once\|allow-always\|deny/);
    },
  },
  {
    title: "Keys that do not exist",
    theirs: "`send-keys` types an unknown name as it is written; OpenClaw warns of some.",
    here: "What looks like a key and is none is refused, and nothing is typed.",
    why: "A slip in a name would be typed into a shell.",
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
    theirs: "`exec` needs approval outside of main sessions, and `bash` everywhere.",
    here: "In a sandboxed session neither is asked about. In a main session `bash` is, in a group session on the host both.",
    why: "A person is asked about what could touch the host. What nobody needs to be asked about is what makes a sandbox worth having.",
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
    theirs: "The command runs on another machine that is connected.",
    here: "The same for main sessions whose commands are not contained, in the folder that the node lends and the operator approved, by the rules for commands here. Where there is none, `EXEC_UNAVAILABLE` or the reason, and nothing runs. It never runs elsewhere instead.",
    why: "A command that was meant for another machine must not run on this one, and which folder of another machine it may work in is for that machine's owner and the operator to say.",
    async shows({ call }) {
      const { code, details } = await call("exec", { command: "echo ran", host: "node" });
      assert.equal(code, "EXEC_UNAVAILABLE");
      assert.deepEqual([details["requested"], details["configured"]], ["node", "gateway"]);
    },
  },
];
