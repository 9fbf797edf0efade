import type { Process } from "../../../src/wire/api.ts";
import { Mark } from "../../parts/mark.tsx";
import { processes as texts } from "../../strings/machine.ts";

export function ProcessMark({ process: { state, exitCode, signal, live } }: { process: Process }) {
  if (state === "running") return <Mark word="running" text={texts.running} bare short />;
  if (state === "lost")
    return <Mark word="interrupted" text={live ? texts.lost : texts.endUnknown} bare short />;
  if (exitCode === undefined) return <Mark word="cancelled" text={texts.ended(signal ?? "")} bare short />;
  return <Mark word={exitCode === 0 ? "ok" : "error"} text={texts.exited(exitCode)} bare short />;
}
