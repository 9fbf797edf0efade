import type { ReplayAsked, ReplayLine } from "../../src/wire/api.ts";
import { send } from "./request.ts";

/** Past calls, decided again by an edit, as they are found. Aborting ends the work of the server. */
export async function* replayPast(asked: ReplayAsked, ending: AbortSignal): AsyncGenerator<ReplayLine[]> {
  const response = await send("./api/policy/replay", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(asked),
    signal: ending,
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    const lines = (rest + (value ?? "")).split("\n");
    rest = lines.pop()!;
    const whole = lines.filter((line) => line !== "").map((line) => JSON.parse(line) as ReplayLine);
    if (whole.length > 0) yield whole;
    if (done) return;
  }
}
