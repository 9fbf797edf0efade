import { defineErrors } from "@haft/core";
import { natsErrors } from "./nats-errors.ts";

/** The errors of this package: the source of docs/reference/errors.md. */
export const storeError = /* @__PURE__ */ defineErrors(({ input, internal, operational, policy }) => ({
  APPROVAL_ID_TAKEN: { category: "internal", fix: "Ask again: it gets another id." },
  STORE_CLOSED: input("The store was closed, and something was to be read or kept.", "Open it again."),
  STORE_CORRUPT: operational(
    "The file of the store cannot be read: it is damaged, or something else. Nothing in it was changed.",
    "Look at it with `haft ledger check`, which says what can be done; put a copy of an earlier day in its place, or move it away to begin a new one.",
    "none",
  ),
  STORE_FAILED: operational(
    "The system did not let the store read or write; the message has what it said.",
    "Look at the disk and at the folder the message names.",
  ),
  STORE_FULL: operational(
    "There is no space left for the store: the disk is full, or the quota is used up. What was to be kept is not.",
    "Make space on that disk first: to forget takes space, too. Later, `keep` and `haft ledger forget` hold less.",
    "none",
  ),
  STORE_GONE: operational(
    "The file of the store was removed, or another one put in its place, while it was in use. What was to be kept is not.",
    "Put it back, or start the program again, which begins with the file that is there, or a new one.",
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
  STORE_PLACE_TAKEN: internal(
    "A call was to be kept at a place of its run that another call has. Nothing of the batch was kept.",
    "Report it: two holders of one run, or a mistake in who counts its calls.",
  ),
  STORE_READ_ONLY: operational(
    "The file of the store, or its folder, cannot be written: it is read-only, or belongs to somebody else.",
    "Make the folder writable for this user, or name another with `--state` or `HAFT_STATE_DIR`.",
    "none",
  ),
  STORE_TOO_NEW: operational(
    "A newer version of Haft wrote the file of the store. This one does not know its form, and has left it alone.",
    "Update Haft, or name another folder with `--state` or `HAFT_STATE_DIR`.",
    "none",
  ),
  STORE_UNSAFE: operational(
    "Where the file of the store should be is a link, a folder, or somebody else's file.",
    "Move it away, or name another folder with `--state` or `HAFT_STATE_DIR`.",
    "none",
  ),
  STORE_UNSUPPORTED: operational(
    "This JavaScript engine has no `node:sqlite`.",
    "Run on Node 22.18 or newer, or keep everything in memory (`stateDir: false`).",
  ),
  ...natsErrors({ input, internal, operational, policy }),
}));
