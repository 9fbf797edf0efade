import { defineErrors } from "@haft/core";

/** The errors of this package: the source of docs/reference/errors.md. */
export const inspectorError = /* @__PURE__ */ defineErrors(({ input, operational, policy }) => ({
  INSPECT_TOKEN_MISSING: policy(
    "A request to the inspector came without its token, or with something that is none.",
    "Open the address that `haft inspect` printed, with all that stands behind the #.",
  ),
  INSPECT_TOKEN_OLD: policy(
    "The token of a request to the inspector is of another start of it, which has ended.",
    "Open the address that the new start printed.",
  ),
  INSPECT_LOOKS_ONLY: policy(
    "A request would decide or change something, and its token only looks.",
    "Start the inspector with `--act`, and open the address that it prints then.",
  ),
  INSPECT_HOST: policy(
    "A request came by a name that is not the inspector's: a web page may have made another name lead here.",
    "Open the address as it was printed; behind a server of your own start it with `--listen ADDRESS --origin URL`.",
  ),
  INSPECT_ORIGIN: policy(
    "A request to the inspector came from a page of another origin.",
    "Nothing; a page that is not the inspector's tried to use it. Behind a server of your own name that with `--origin URL`.",
  ),
  INSPECT_REQUEST: input(
    "A request to the inspector is none that it knows, or is written otherwise.",
    "Correct it.",
  ),
  INSPECT_NOT_FOUND: input("The inspector knows nothing of that name.", "Look at the list it should be in."),
  INSPECT_BUSY: operational(
    "More streams of events are open at the inspector than it serves at once.",
    "Close pages that are not needed.",
    "none",
  ),
  INSPECT_LISTEN: input(
    "The inspector was to be reached from elsewhere, and what that takes is not said, or cannot be.",
    "Say both: `--listen ADDRESS --origin https://NAME`, where NAME is your own server with TLS in front of it.",
  ),
  INSPECT_PORT: operational(
    "The inspector cannot listen where it should: the port is taken, or not for this user.",
    "Name another one with `--port`, or none: then any that is free is taken.",
    "none",
  ),
  INSPECT_TOO_LARGE: input("A request to the inspector is larger than it reads.", "Send less."),
  INSPECT_PAGE_MISSING: operational(
    "The package of the inspector was installed without its page.",
    "Install it again; in a checkout of Haft `npm run build` makes the page.",
  ),
}));
