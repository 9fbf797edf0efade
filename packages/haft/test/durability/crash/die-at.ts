// Loaded before the command (`--import`): kills its process with SIGKILL right before or after the n-th thing of a kind, so
// that a crash hits points which no clock would hit. HAFT_DIE_AT: `KIND before|after N`.
import type * as Fs from "node:fs";
import { createRequire, syncBuiltinESMExports } from "node:module";
import { Socket } from "node:net";
import type * as Sqlite from "node:sqlite";

/** `sql`: statements. `fs`: changes of files and folders. `pipe`: lines of answers, and what goes to the runner. */
const [kind, when, nth] = (process.env["HAFT_DIE_AT"] ?? "").split(" ");
// None of its own is for what it starts.
delete process.env["HAFT_DIE_AT"];
let left = Number(nth);

type Method = (this: unknown, ...args: unknown[]) => unknown;

function diesAt(owner: object, name: string): void {
  const methods = owner as Record<string, Method>;
  const method = methods[name];
  if (typeof method !== "function") return;
  methods[name] = function (...args) {
    const isIt = --left === 0;
    if (isIt && when === "before") die();
    const result = method.apply(this, args);
    if (isIt && result instanceof Promise) return result.finally(die);
    if (isIt) die();
    return result;
  };
}

function die(): void {
  process.kill(process.pid, "SIGKILL");
  // The signal is there once this thread is back in the system.
  for (;;);
}

const require = createRequire(import.meta.url);
if (kind === "sql") {
  const { DatabaseSync, StatementSync } = require("node:sqlite") as typeof Sqlite;
  diesAt(DatabaseSync.prototype, "exec");
  for (const name of ["run", "get", "all"]) diesAt(StatementSync.prototype, name);
} else if (kind === "pipe") {
  diesAt(Socket.prototype, "_write");
  diesAt(Socket.prototype, "_writev");
} else if (kind === "fs") {
  const fs = require("node:fs") as typeof Fs;
  const changes = ["write", "rename", "link", "unlink", "fsync", "fdatasync", "ftruncate", "mkdir", "rm"];
  for (const name of changes) {
    diesAt(fs, `${name}Sync`);
    diesAt(fs.promises, name);
  }
  diesAt(fs.promises, "writeFile");
  diesAt(fs, "writeFileSync");
  syncBuiltinESMExports();
}
