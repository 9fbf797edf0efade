// For what is played in other packages.
export { Recorder } from "../../src/kernel/recording/recorder.ts";
