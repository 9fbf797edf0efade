import type { FileSystem, Mount } from "@haft/core";
import { withoutUndefined } from "@haft/utils";
import type { Duplex } from "node:stream";
import {
  DEFAULT_GREETING_MS,
  DEFAULT_ANSWER_MS,
  DEFAULT_SILENT_MS,
  DEFAULT_MAX_READ_BYTES,
  DEFAULT_MAX_RUNNING,
} from "../defaults.ts";
import { parseFields, parseNumber, PROCESS_CHECKS, textField } from "./answer-checks.ts";
import { RunnerChannel } from "./channel.ts";
import { connectWithTimeout } from "./connect-with-timeout.ts";
import { createRunnerFileSystem } from "./file-client.ts";
import { createRunnerNetwork, type RunnerNetwork } from "./network-client.ts";
import { createRunnerClient } from "./process-client.ts";
import type { Hello, OpenSettings, RunnerCapabilities, RunnerProcesses } from "./protocol.ts";

export interface RunnerSettings extends Omit<Partial<OpenSettings>, "mounts"> {
  /** As seen where the runner is; the first is the main root. Each an existing folder. */
  mounts: readonly Mount[];
  /** Time the runner has to greet, 15 s by default. */
  startMs?: number;
  /** Time for one answer, beside what the call itself waits for, 30 s by default. After it the runner is given up. */
  answerMs?: number;
  /** Without a byte of it while it owes an answer, also to being asked; 5 s by default. After it the runner is given up. */
  silentMs?: number;
}

/** What a runner said of itself and its place. It may lie: nothing may depend on it but comfort. */
export type RunnerFacts = Omit<Hello, "hello" | "capabilities" | "clock">;

export interface RunnerConnection {
  fs: FileSystem;
  /** Takes specifications as they are: an absolute folder, and in `env` all the variables there shall be. */
  processes: RunnerProcesses;
  network?: RunnerNetwork;
  capabilities: RunnerCapabilities;
  facts: RunnerFacts;
  /** Variables commands may start from: the runner's own, as far as they are on the allowlist. */
  env: Readonly<Record<string, string>>;
  /** What is mounted there, as `/proc/self/mountinfo` says it; when it was asked for, and is there. */
  mountTable?: string;
  /** Resolves with the reason when it is gone. Everything under way has failed then. */
  ended: Promise<string>;
  /** Ends everything it runs (TERM, `graceMs`, KILL; 0 by default) and then the stream. */
  close(graceMs?: number): Promise<void>;
}

const MAX_VARIABLES = 256;

/**
 * Opens a connection to a runner that has just been started at the other end of a stream. Whatever that does, and
 * code beside it may have taken it over, ends in a coded error, within a time and with bounded memory.
 *
 * @throws HaftError `SANDBOX_NO_RUNNER`, `ROOT_INVALID`, `ABORTED`
 */
export async function connectRunner(
  stream: Duplex,
  settings: RunnerSettings,
  signal?: AbortSignal,
): Promise<RunnerConnection> {
  const {
    startMs = DEFAULT_GREETING_MS,
    answerMs = DEFAULT_ANSWER_MS,
    silentMs = DEFAULT_SILENT_MS,
  } = settings;
  const { maxReadBytes = DEFAULT_MAX_READ_BYTES } = settings;
  const { promise: ended, resolve: end } = Promise.withResolvers<string>();
  const distrust = { answerMs, silentMs };
  const channel = new RunnerChannel({ input: stream, output: stream, onLost: end, distrust });
  return connectWithTimeout({ channel, startMs, signal }, async () => {
    const hello = await channel.ready;
    const open: OpenSettings = withoutUndefined({
      mounts: settings.mounts.map(({ name, path, access }) => ({ name, path, access })),
      deny: settings.deny,
      readOnly: settings.readOnly,
      inherit: settings.inherit,
      maxReadBytes,
      maxRunning: settings.maxRunning ?? DEFAULT_MAX_RUNNING,
      spareShell: settings.spareShell ?? true,
      ...(settings.mountTable === true ? { mountTable: true } : {}),
    });
    const opened = parseFields(await channel.value("open", [open], { waitsMs: startMs }));
    const table = opened["mountTable"];
    const env = environmentOf(opened["env"]);
    const processes = createRunnerClient(channel, PROCESS_CHECKS);
    const { capabilities, facts } = described(hello);
    return {
      fs: createRunnerFileSystem(channel, maxReadBytes),
      processes,
      ...(capabilities.network === true && { network: createRunnerNetwork(channel) }),
      capabilities,
      facts,
      env,
      ...(typeof table === "string" && table !== "" ? { mountTable: table } : {}),
      ended,
      close: async (graceMs = 0) => {
        await processes.close(graceMs).catch(() => {});
        stream.end();
        channel.abandon("it was closed");
      },
    };
  });
}

function environmentOf(value: unknown): Record<string, string> {
  const entries = Object.entries(parseFields(value));
  if (entries.length > MAX_VARIABLES) throw new Error(`it has ${entries.length} variables`);
  return Object.fromEntries(entries.map(([name, text]) => [textField(name, 256), textField(text)]));
}

function described(hello: Hello): Pick<RunnerConnection, "capabilities" | "facts"> {
  const { node, platform, uid, gid, home, capabilities } = parseFields(hello);
  const { files, processes, pty, identify, network } = parseFields(capabilities);
  return {
    capabilities: {
      files: files === true,
      processes: processes === true,
      pty: pty === true,
      identify: identify === true,
      network: network === true,
    },
    facts: {
      node: textField(node, 64),
      platform: textField(platform, 64),
      uid: parseNumber(uid),
      gid: parseNumber(gid),
      home: textField(home, 4096),
    },
  };
}
