const MARK = Symbol("recorded nowhere");

/** Of a host that tries what was: the operator's audit log and telemetry are of what is. Programs of others cannot say it. */
export function disableRecording<Options extends object>(options: Options): Options & { stateDir: false } {
  return Object.assign({ ...options, stateDir: false as const }, { [MARK]: true });
}

export function isRecordingDisabled(options: object): boolean {
  return MARK in options;
}
