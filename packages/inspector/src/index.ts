export type { InspectorSource, SourceEvent } from "./source/inspector-source.ts";
export { type InspectorOptions, type ServedInspector, serveInspector } from "./server/serve-inspector.ts";
export type { Api, ExportRecord, InspectorEvent } from "./wire/api.ts";
export { renderExportPage } from "./server/render-export-page.ts";
export { type InspectOptions, inspect, inspectStored } from "./host/inspect.ts";
export { exportAsPage } from "./host/runs/export-runs.ts";
