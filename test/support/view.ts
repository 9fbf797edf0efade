import { probeView } from "@haft/sandbox/view";

/** Whether commands can be contained here. */
export const view = await probeView();
if (!view.available && process.env["HAFT_REQUIRE_SERVICES"] === "1")
  throw new Error(`Commands cannot be contained here: ${view.reason}`);
