import type { AgentId } from "@haft/guard";
import { CLIENT_HOME, type GuardLine, hookWords, missing, PASSED } from "../guard-line.ts";

/** How the guard's own modules begin: by this they are known. */
export const OWN_MODULE = "// Written by haft guard install; haft guard uninstall takes it away.";

/**
 * What modules in agents' processes have in common: `ask(payload)` resolves to what the guard answered. It decides in a thread that is
 * begun once, so that a deadline here ends whatever goes on there; where the agent's runtime has not what that takes, a process is
 * started for each call. `ask` throws where the guard is missing, crashes, changes, says nothing that can be read, or does not end,
 * unless it only watches. All of it stands in the module: it blocks, too, when nothing of the guard is there any more.
 */
export function moduleText(agent: AgentId, event: string, line: GuardLine): string {
  const [node, ...before] = line.program;
  const words = [...before, ...hookWords(agent, event, line)];
  return `${OWN_MODULE}
import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { Worker } from "node:worker_threads";

const PROGRAM = ${JSON.stringify(node)};
const WORDS = ${JSON.stringify(words)};
const ENV = ${JSON.stringify(line.env)};
const MISSING = ${JSON.stringify(missing(agent, line).replace(/^.*?\. /, ""))};
const WATCH_ONLY = ${line.watchOnly};
const LONGEST_MS = 9000;
// No other variable of the agent loads code into what decides, or has it look for other rules.
const PASSED = ${JSON.stringify(PASSED)};

// Node is told what is in front of the program, and a thread a part of it.
const AT = WORDS.findIndex((word) => /guard-hook\\.c?[jt]s$/.test(word));
const FLAGS = WORDS.slice(0, AT).filter((word) => /^(?:--conditions=|-C=|--no-warnings$)/.test(word));

function failed(why) {
  return new Error("Haft denies this call, since its guard " + why + ". " + MISSING);
}

function read(said, code) {
  try {
    const answer = JSON.parse(said);
    if (answer === null || typeof answer !== "object") throw new Error();
    if (code !== 0 && answer.block !== true) throw new Error();
    return answer;
  } catch {
    throw failed("ended with " + code + " and no answer");
  }
}

function byProcess(text, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(PROGRAM, WORDS, { env, stdio: ["pipe", "pipe", "ignore"] });
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      reject(failed("did not end"));
    }, LONGEST_MS);
    let said = "";
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(failed("cannot be started (" + error.message + ")"));
    });
    child.stdin.on("error", () => {});
    child.stdout.setEncoding("utf8").on("data", (more) => (said += more));
    child.on("close", (code) => {
      clearTimeout(timer);
      try {
        resolve(read(said, code));
      } catch (error) {
        reject(error);
      }
    });
    child.stdin.end(text);
  });
}

function hasThreads() {
  const { bun, node } = process.versions;
  const [major, minor] = (bun ?? node).split(".").map(Number);
  if (bun !== undefined) return FLAGS.length === 0 && (major > 1 || minor >= 3);
  return major > 22 || (major === 22 && minor >= 18);
}

// The thread that decides now, if there is one.
let inside;
let count = 0;

function begin(stamp, env) {
  // Where the current folder is gone this throws, and a thread would not begin.
  process.cwd();
  const argv = ["--inside", PROGRAM, ...WORDS.slice(AT + 1)];
  // What it prints is not the agent's to show.
  const worker = new Worker(WORDS[AT], { argv, env, execArgv: FLAGS, stdout: true, stderr: true });
  const calls = new Map();
  const own = { worker, stamp, env: JSON.stringify(env), calls, isLeft: false, end };
  function end(why) {
    leave(own);
    void worker.terminate();
    for (const { reject } of [...calls.values()]) reject(failed(why));
  }
  worker.on("message", ({ id, answer }) => calls.get(id)?.resolve(answer));
  worker.on("messageerror", () => end("cannot be understood"));
  worker.on("error", (error) => end("crashed (" + error?.message + ")"));
  worker.on("exit", (code) => end("ended with " + code + " and no answer"));
  // It does not keep the agent from ending; a call that waits does, as a process would.
  worker.unref();
  return own;
}

// It answers what it was asked, and is asked nothing more.
function leave(own) {
  if (inside === own) inside = undefined;
  own.isLeft = true;
  if (own.calls.size === 0) void own.worker.terminate();
}

function askInside(own, text) {
  return new Promise((resolve, reject) => {
    const id = ++count;
    const timer = setTimeout(() => own.end("did not end"), LONGEST_MS);
    const settled = (settle) => (value) => {
      clearTimeout(timer);
      own.calls.delete(id);
      if (own.isLeft) leave(own);
      settle(value);
    };
    own.calls.set(id, { resolve: settled(resolve), reject: settled(reject) });
    own.worker.postMessage({ id, text });
  });
}

function stampOf(file) {
  const { ino, size, mtimeMs } = statSync(file);
  return [ino, size, mtimeMs].join();
}

async function decide(payload) {
  const text = JSON.stringify(payload);
  const env = {};
  for (const name of PASSED) if (process.env[name] !== undefined) env[name] = process.env[name];
  if (process.env.HOME !== undefined) env.${CLIENT_HOME} = process.env.HOME;
  Object.assign(env, ENV);
  if (!hasThreads()) return byProcess(text, env);
  let stamp;
  try {
    stamp = stampOf(WORDS[AT]);
  } catch (error) {
    inside?.end("is gone");
    throw failed("cannot be started (" + error.message + ")");
  }
  if (inside !== undefined && inside.stamp !== stamp) {
    inside.end("was changed while it ran");
    throw failed("was changed while it ran");
  }
  // A process would have the variables that there are now.
  if (inside !== undefined && inside.env !== JSON.stringify(env)) leave(inside);
  try {
    inside ??= begin(stamp, env);
  } catch {
    // Variables for Node that no thread takes, or no folder.
    return byProcess(text, env);
  }
  const answer = await askInside(inside, text);
  return answer === undefined ? byProcess(text, env) : read(answer.stdout, answer.exitCode);
}

async function ask(payload) {
  if (!WATCH_ONLY) return decide(payload);
  return decide(payload).then(() => ({}), () => ({}));
}
`;
}
