import type { AgentId } from "@haft/guard";
import { type GuardLine, hookWords, missing } from "../guard-line.ts";

/** How the guard's own modules begin: by this they are known. */
export const OWN_MODULE = "// Written by haft guard install; haft guard uninstall takes it away.";

/**
 * What modules in agents' processes have in common: `ask(payload)` starts the hook, and resolves to what it answered. It throws
 * where the hook is missing, crashes, says nothing that can be read, or does not end, unless it only watches.
 */
export function moduleText(agent: AgentId, event: string, line: GuardLine): string {
  const [node, ...before] = line.program;
  const words = [...before, ...hookWords(agent, event, line)];
  return `${OWN_MODULE}
import { spawn } from "node:child_process";

const PROGRAM = ${JSON.stringify(node)};
const WORDS = ${JSON.stringify(words)};
const ENV = ${JSON.stringify(line.env)};
const MISSING = ${JSON.stringify(missing(agent, line).replace(/^.*?\. /, ""))};
const WATCH_ONLY = ${line.watchOnly};

function start(payload) {
  return new Promise((resolve, reject) => {
    const fail = (why) =>
      reject(new Error("Haft denies this call, since its guard " + why + ". " + MISSING));
    const child = spawn(PROGRAM, WORDS, { env: { ...process.env, ...ENV }, stdio: ["pipe", "pipe", "ignore"] });
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      fail("did not end");
    }, 9000);
    let said = "";
    child.on("error", (error) => {
      clearTimeout(timer);
      fail("cannot be started (" + error.message + ")");
    });
    child.stdin.on("error", () => {});
    child.stdout.setEncoding("utf8").on("data", (text) => (said += text));
    child.on("close", (code) => {
      clearTimeout(timer);
      try {
        const answer = JSON.parse(said);
        if (answer === null || typeof answer !== "object") throw new Error();
        if (code !== 0 && answer.block !== true) throw new Error();
        resolve(answer);
      } catch {
        fail("ended with " + code + " and no answer");
      }
    });
    child.stdin.end(JSON.stringify(payload));
  });
}

async function ask(payload) {
  if (!WATCH_ONLY) return start(payload);
  return start(payload).then(() => ({}), () => ({}));
}
`;
}
