const MARK = Symbol("recorded nowhere");

/** Disables audit log and telemetry of a host that only simulates decisions. */
export function disableRecording<Options extends object>(options: Options): Options & { stateDir: false } {
  return Object.assign({ ...options, stateDir: false as const }, { [MARK]: true });
}

export function isRecordingDisabled(options: object): boolean {
  return MARK in options;
}
