import { defineErrors } from "@haft/core";
import type { By } from "./inspect-errors.ts";

/** Those of where things of a user's own are, a part of the catalogue: what needs nothing else of it starts without the rest. */
export const placeErrors = ({ input }: By) => ({
  CONFIG_RELATIVE: input(
    "HAFT_CONFIG or HAFT_POLICY names a file relative to wherever Haft is started, or HOME is no absolute path, so a workspace could have a file of its own there.",
    "Give an absolute path.",
    "none",
  ),
  STATE_FOLDER_RELATIVE: input(
    "The folder for Haft's state is given relative to wherever Haft is started, so it could lie inside the workspace.",
    "Give an absolute path.",
    "none",
  ),
});

/** The same alone. */
export const placeError = /* @__PURE__ */ defineErrors(placeErrors);
