import { defineErrors, type HaftError } from "@haft/core";
import type { StoreProblem } from "./state-store.ts";

/** The source of docs/reference/errors.md. */
export const storeError = /* @__PURE__ */ defineErrors(({ input, operational }) => ({
  APPROVAL_ID_TAKEN: { category: "internal", fix: "Ask again to get another id." },
  LEDGER_UNAVAILABLE: { category: "operational" },
  NATS_FAILED: operational(
    "The NATS server was unreachable, did not answer in time, or failed an operation of the store. The data counts as not stored.",
    "Check the server, `servers` and the network. Then try again.",
  ),
  NATS_FORBIDDEN: operational(
    "The NATS server rejects this host or denies it a subject; the message names it.",
    "Correct the credentials, or give the host's user the permissions in the guide.",
  ),
  NATS_UNFIT: operational(
    "The NATS server has no JetStream for this account, or a stream there would lose or refuse data of the store.",
    "Start the server with `jetstream {}` in its configuration (or `-js`), and enable JetStream for the account. Change the stream as described in the message, or use another `prefix`.",
  ),
  RECORD_CHANGED: operational(
    "Another host changed a shared record first. Its version is stored.",
    "Review the record and decide again.",
  ),
  STORE_CLOSED: input("The store was used after it was closed.", "Open the store again."),
  STORE_CORRUPT: operational(
    "The store's file cannot be read: it is damaged or of another format. The file was not changed.",
    "Check the file with `haft ledger check`, which lists possible solutions. Restore a backup, or move the file away to start a new store.",
    "none",
  ),
  STORE_FAILED: operational(
    "The store could not be read or written, or its file was removed or replaced during use; the message gives the reason. The data was not stored.",
    "Check the disk and the file in the message. If the file was removed, restore it or restart the program.",
    "none",
  ),
  STORE_FULL: operational(
    "The disk is full or the quota is exhausted. The data was not stored.",
    "Free space on that disk first, because removing records also needs space. Later, reduce the store with `keep` and `haft ledger forget`.",
    "none",
  ),
  STORE_INCOMPLETE: operational(
    "Stored data is missing from the store. `haft ledger check` reports this.",
    "Use the remaining data, and check the records in the message yourself. A backup may contain them.",
  ),
  STORE_LOCKED: operational(
    "Another process locked the store's file for too long. The data was not stored.",
    "Try again. If the error remains, look for a process that is stopped or copies the file.",
    "none",
  ),
  STORE_TOO_NEW: operational(
    "A newer version of Haft wrote the store's file. This version does not know its schema and did not change the file.",
    "Update Haft, or use another folder: `stateDir` of the host, `--state` or `HAFT_STATE_DIR`.",
    "none",
  ),
  STORE_UNSUPPORTED: operational(
    "The store needs a missing component: `node:sqlite`, or the NATS client packages.",
    "For SQLite, use Node 22.18 or newer, or store everything in memory (`stateDir: false`). For NATS, run `npm install @nats-io/transport-node @nats-io/jetstream @nats-io/kv` where @haft/store is installed.",
  ),
  STORE_UNUSABLE: operational(
    "The store's file is unusable: it or its folder is read-only, or it is a link, a folder, or a file of another user or program.",
    "Make it writable for this user or move it away, or use another folder: `stateDir` of the host, `--state` or `HAFT_STATE_DIR`.",
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
  return storeError("APPROVAL_ID_TAKEN", `The id ${JSON.stringify(id)} is invalid or already in use.`);
}
