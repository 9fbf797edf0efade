export { containedPlaces } from "./contained-places.ts";
export { createContainedWorkspace } from "./contained-workspace.ts";
export { previewContained } from "./preview-contained.ts";
export { cachesIn } from "./session-view.ts";
export { toolNetwork } from "./tool-network.ts";
