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
  /** Existing folders, as seen by the runner. The first is the main root. */
  mounts: readonly Mount[];
  startMs?: number;
  /** Limits one answer, in addition to the timeout of the call. Default: 30 s. Then the runner is lost. */
  answerMs?: number;
  /** Limits the silence while an answer is due, also after a ping. Default: 5 s. Then the runner is lost. */
  silentMs?: number;
}

/** No check may depend on these facts, because they may be false. */
export type RunnerFacts = Omit<Hello, "hello" | "capabilities" | "clock">;

export interface RunnerConnection {
  fs: FileSystem;
  processes: RunnerProcesses;
  network?: RunnerNetwork;
  capabilities: RunnerCapabilities;
  facts: RunnerFacts;
  env: Readonly<Record<string, string>>;
  mountTable?: string;
  /** Resolves with the reason, after all open calls have failed. */
  ended: Promise<string>;
  /** Sends TERM, waits `graceMs` (default 0), sends KILL, and ends the stream. */
  close(graceMs?: number): Promise<void>;
}

const MAX_VARIABLES = 256;

/** Bounds time and memory, because the runner may be compromised. @throws HaftError `SANDBOX_NO_RUNNER`, `ROOT_INVALID`, `ABORTED` */
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
