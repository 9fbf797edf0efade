// For the other packages of Haft. Not public: it may change with any version.
export { formatAuditLine, isGuardedCall } from "../audit/audit-entry.ts";
export { disableRecording, isRecordingDisabled } from "../audit/disable-recording.ts";
export { createHostAudit, listAuditFiles } from "../audit/host-audit.ts";
