import { defineErrors } from "@haft/core";
import type { ErrorBuilders } from "./inspect-errors.ts";

/** Those of where things of a user's own are, a part of the catalogue: what needs nothing else of it starts without the rest. */
export const pathErrors = ({ input }: ErrorBuilders) => ({
  PATH_RELATIVE: input(
    "HAFT_CONFIG, HAFT_POLICY or the state folder is given relative to wherever Haft is started, or HOME is no absolute path, so it could lie inside the workspace.",
    "Give an absolute path.",
    "none",
  ),
});

/** The same alone. */
export const pathError = /* @__PURE__ */ defineErrors(pathErrors);
