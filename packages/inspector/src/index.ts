export type { InspectorSource, NamedCall, NamedProcess, Stretch, Told } from "./source/inspector-source.ts";
export { type InspectorOptions, type ServedInspector, serveInspector } from "./server/serve-inspector.ts";
export type * from "./wire/api.ts";
export { exportedPage } from "./server/exported-page.ts";
