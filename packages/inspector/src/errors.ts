import { defineErrors } from "@haft/core";

/** The source of docs/reference/errors.md. */
export const inspectorError = /* @__PURE__ */ defineErrors(({ input, operational, policy }) => ({
  INSPECT_TOKEN: policy(
    "The token of a request to the inspector is missing or wrong. `details.reason`: `missing`, `wrong`, or `old` (of an earlier start).",
    "Open the complete address that `haft inspect` printed, including the part after the #.",
  ),
  INSPECT_REFUSED: policy(
    "The inspector rejects the request. `details.reason`: `looks-only` (a read-only token), `host` (a foreign name of the inspector), or `origin` (a page of another origin).",
    "Open the address as printed. For a proxy server, start the inspector with `--listen ADDRESS --origin URL`.",
  ),
  INSPECT_REQUEST: input(
    "A request to the inspector is unknown, too large or invalid.",
    "Correct the request as the message says.",
  ),
  INSPECT_NOT_FOUND: input("The object does not exist at the inspector.", "Look it up in its list."),
  INSPECT_BUSY: operational(
    "The inspector has the maximum number of open event streams.",
    "Close other pages of the inspector.",
    "none",
  ),
  INSPECT_LISTEN: input(
    "The inspector cannot listen on its address: the port is in use, or an option for external access is missing.",
    "Name another port with `--port`. For external access, use both `--listen ADDRESS --origin https://NAME`, where NAME is your server with TLS.",
  ),
  PACKAGE_MISSING: {
    category: "operational",
    fix: "Install the package again. In a checkout of Haft, `npm run build` builds the page.",
  },
  APPROVAL_DECIDED: operational(
    "The call no longer waits for a decision, because another person or program decided first. The details name it.",
    "Check the result in the timeline.",
    "none",
  ),
  INSPECT_FILE: input(
    "The inspector cannot try or save a file of rules: it does not edit this file, or the text has an error.",
    "Edit a file that the page of the policy lists as editable.",
    "none",
  ),
  INSPECT_SCRATCH: operational(
    "The inspector cannot open a scratch workspace. The message has the reason.",
    "Close another scratch workspace, or use other files.",
    "none",
  ),
  POLICY_FILE_CHANGED: operational(
    "The inspector did not save a file of rules, because it has changed since it was read. Nothing was written.",
    "Read the file again and edit its current text.",
    "none",
  ),
  POLICY_UNREADABLE: {
    category: "input",
    fix: "Correct the file, or name another. Unreadable rules are never ignored.",
  },
  RUN_NOT_FOUND: {
    category: "input",
    fix: "`haft ledger list --all` lists all runs, and `haft ledger show RUN` the calls of a run.",
    receipt: "none",
  },
}));
