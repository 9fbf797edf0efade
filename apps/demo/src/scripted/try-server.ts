import type { Reply } from "./chat.ts";
import type { Conversation, Exchange } from "./conversation.ts";
import { call, callsAfter, say } from "./steps.ts";

const WAIT_MS = 5_000;
/** After so many answers without an address there will be none. */
const MOST_POLLS = 3;
/** An address as servers print it. It goes into a command, so nothing else may be in it. */
const ADDRESS = /http:\/\/127\.0\.0\.1:\d+[\w./?=&+%-]*/;

/**
 * Starts a server in the background, waits for the address it prints, asks it there, reads what it
 * wrote about that, and kills it. Has nothing more to say once it is killed.
 */
export function tryServer(seen: Conversation, command: string): Reply | undefined {
  const started = seen.exchanges.find(({ name, arguments: args }) => name === "exec" && args["background"]);
  if (!started) return call("exec", { command, background: true }, "Now the server, in the background.");
  const sessionId = /\(session ([\w-]+)/.exec(started.answer)?.[1];
  if (sessionId === undefined) return say(`The server did not start: ${started.answer.slice(0, 120)}`);
  const later = callsAfter(seen, started);
  const polls = later.filter(isPoll);
  const poll = (text: string) => call("process", { action: "poll", sessionId, timeout: WAIT_MS }, text);
  const address = polls.map(({ answer }) => ADDRESS.exec(answer)?.[0]).find((found) => found !== undefined);
  if (address === undefined) {
    return polls.length < MOST_POLLS
      ? poll("Where does it listen?")
      : say("The server does not say where it listens.");
  }
  const asked = later.find(({ name }) => name === "exec");
  if (!asked) {
    const request = `node -e "fetch('${address}').then((r) => r.text()).then(console.log)"`;
    return call("exec", { command: request }, "I ask it for a date that was wrong.");
  }
  if (!callsAfter(seen, asked).some(isPoll)) return poll("What did it write about that?");
  if (later.some(({ arguments: args }) => args["action"] === "kill")) return undefined;
  return call("process", { action: "kill", sessionId }, "That is all I wanted to know, so it can end.");
}

function isPoll({ name, arguments: args }: Exchange): boolean {
  return name === "process" && args["action"] === "poll";
}
