import { defineErrors } from "@haft/core";

/** Errors of this package; docs/reference/errors.md is generated from them. */
export const inspectorError = /* @__PURE__ */ defineErrors(({ input, operational, policy }) => ({
  INSPECT_TOKEN: policy(
    "A request to the inspector came without its token, or with a wrong one. `details.reason`: `missing`, `wrong`, or `old` (of an earlier start).",
    "Open the address that `haft inspect` printed, with all that stands behind the #.",
  ),
  INSPECT_REFUSED: policy(
    "The inspector does not do this for who asks. `details.reason`: `looks-only` (the token only looks), `host` (a name that is not the inspector's), or `origin` (a page of another origin).",
    "Open the address as it was printed; behind a server of your own start it with `--listen ADDRESS --origin URL`.",
  ),
  INSPECT_REQUEST: input(
    "The inspector does not know such a request, or it is too large, or not written as it has to be.",
    "Correct it.",
  ),
  INSPECT_NOT_FOUND: input("The inspector knows nothing of that name.", "Look at the list it should be in."),
  INSPECT_BUSY: operational(
    "More streams of events are open at the inspector than it serves at once.",
    "Close pages that are not needed.",
    "none",
  ),
  INSPECT_LISTEN: input(
    "The inspector cannot listen where it should: the port is taken, or what it takes to be reached from elsewhere is not said.",
    "Name another port with `--port`. To be reached from elsewhere, say both: `--listen ADDRESS --origin https://NAME`, where NAME is your own server with TLS.",
  ),
  PACKAGE_MISSING: {
    category: "operational",
    fix: "Install it again; in a checkout of Haft `npm run build` makes the page.",
  },
  APPROVAL_DECIDED: operational(
    "Somebody was first: the call that a person decides about at the inspector does not wait any more. The details say who.",
    "Nothing; look at what became of it.",
    "none",
  ),
  INSPECT_FILE: input(
    "A file of rules was to be tried or saved at the inspector that it does not edit, or with something wrong in it.",
    "Edit one of those that the policy's page lists as editable.",
    "none",
  ),
  INSPECT_SCRATCH: operational(
    "A scratch workspace of the inspector cannot be opened; the message says why.",
    "Close one that is open, or begin with other files.",
    "none",
  ),
  POLICY_FILE_CHANGED: operational(
    "A file of rules was to be saved at the inspector, and has another content by now. Nothing was written.",
    "Look at what stands in it now, and edit that.",
    "none",
  ),
  POLICY_UNREADABLE: {
    category: "input",
    fix: "Correct the file, or name another; rules that cannot be read are never left out.",
  },
  RUN_NOT_FOUND: {
    category: "input",
    fix: "`haft ledger list --all` shows the runs there are, `haft ledger show RUN` the calls of one.",
    receipt: "none",
  },
}));
