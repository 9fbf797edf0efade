import { defineErrors, type HaftError } from "@haft/core";
import type { StoreProblem } from "./state-store.ts";

/** The source of docs/reference/errors.md. */
export const storeError = /* @__PURE__ */ defineErrors(({ input, operational }) => ({
  APPROVAL_ID_TAKEN: { category: "internal", fix: "Ask again: it gets another id." },
  LEDGER_UNAVAILABLE: { category: "operational" },
  NATS_FAILED: operational(
    "No NATS server was reached, it did not answer in time, or it did not do what the store needs. What was to be kept counts as not kept.",
    "Look at the server, at `servers`, and at the network, then try again.",
  ),
  NATS_FORBIDDEN: operational(
    "The NATS server does not let this host in, or does not allow it a subject; the message says which.",
    "Correct the credentials, or give the host's user the permissions that the guide lists.",
  ),
  NATS_UNFIT: operational(
    "The NATS server has no JetStream for this account, or a stream there would lose or refuse what the store keeps.",
    "Start the server with `jetstream {}` in its configuration (or `-js`), and give the account JetStream; change the stream as the message says, or use another `prefix`.",
  ),
  RECORD_CHANGED: operational(
    "Another host has changed a shared record in the meantime. What it wrote counts.",
    "Look at it again, and decide again.",
  ),
  STORE_CLOSED: input("The store was closed, and something was to be read or kept.", "Open it again."),
  STORE_CORRUPT: operational(
    "The file of the store cannot be read: it is damaged, or something else. Nothing in it was changed.",
    "Look at it with `haft ledger check`, which says what can be done; put a copy of an earlier day in its place, or move it away to begin a new one.",
    "none",
  ),
  STORE_FAILED: operational(
    "The store could not be read or written, or its file was removed or replaced while it was in use; the message says why. What was to be kept is not.",
    "Look at the disk and at the file the message names. If the file was removed, put it back or start the program again.",
    "none",
  ),
  STORE_FULL: operational(
    "There is no space left for the store: the disk is full, or the quota is used up. What was to be kept is not.",
    "Make space on that disk first: to forget takes space, too. Later, `keep` and `haft ledger forget` hold less.",
    "none",
  ),
  STORE_INCOMPLETE: operational(
    "Something that was kept is not in the file of the store any more. Said by `haft ledger check`.",
    "Go by what is there, and look yourself at what the message names; a copy of an earlier day may have it.",
  ),
  STORE_LOCKED: operational(
    "Another process has the file of the store locked, and did not let go in time. What was to be kept is not.",
    "Try again; if it stays, look for a process that is stopped, or that copies the file.",
    "none",
  ),
  STORE_TOO_NEW: operational(
    "A newer version of Haft wrote the file of the store. This one does not know its form, and has left it alone.",
    "Update Haft, or name another folder with `--state` or `HAFT_STATE_DIR`.",
    "none",
  ),
  STORE_UNSUPPORTED: operational(
    "The store needs something that is not installed: `node:sqlite`, or the libraries that talk to a NATS server.",
    "For SQLite run on Node 22.18 or newer, or keep everything in memory (`stateDir: false`). For NATS run `npm install @nats-io/transport-node @nats-io/jetstream @nats-io/kv` beside @haft/store.",
  ),
  STORE_UNUSABLE: operational(
    "The file of the store cannot be used: it or its folder is read-only, or it is a link, a folder, or somebody else's file.",
    "Make it writable for this user or move it away, or name another folder with `--state` or `HAFT_STATE_DIR`.",
    "none",
  ),
}));

export function toStoreProblem(code: "STORE_CORRUPT" | "STORE_INCOMPLETE", message: string): StoreProblem {
  return { code, message, fix: storeError.catalogue[code].fix ?? "" };
}

const NAMED = 20;

export function formatNames(what: readonly string[]): string {
  return what.slice(0, NAMED).join(", ") + (what.length > NAMED ? ", and others" : "");
}

export function idTakenError(id: string): HaftError {
  return storeError("APPROVAL_ID_TAKEN", `${JSON.stringify(id)} cannot be the name of something new.`);
}
