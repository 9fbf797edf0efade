// Internal entry: it can change with any version.
export { formatAuditLine, isGuardedCall } from "../audit/audit-entry.ts";
export { disableRecording, isRecordingDisabled } from "../audit/disable-recording.ts";
export { createHostAudit, listAuditFiles } from "../audit/host-audit.ts";
