import type { ProcessState } from "@haft/plugin-sdk";
import type { TextBudget } from "../output/cut-middle.ts";
import { INITIAL_DECODER_STATE } from "../output/decode-output.ts";
import { readWindow } from "../output/read-window.ts";
import { type Excerpt, OUTPUT_BUDGET, renderText, renderWindow } from "../output/render-window.ts";
import { hasGap, newScreenText } from "../output/screen-text.ts";
import type { CommandSession, Position } from "./command-session.ts";

export interface NewOutput extends Excerpt {
  position: Position;
  isNew: boolean;
  state: ProcessState;
}

export async function newOutput(
  session: CommandSession,
  from: Position,
  budget: TextBudget = OUTPUT_BUDGET,
): Promise<NewOutput> {
  await session.resolveEnd();
  const { hasEnded, info } = session;
  if (hasEnded && info.output.total === from.offset) {
    return { text: "", omitted: 0, dropped: 0, isNew: false, state: info.state, position: from };
  }
  const screen = info.pty ? await readTerminal(session, from, budget) : undefined;
  if (screen?.isWhole === true) return screen.output;
  const window = await readWindow(session.processes, info.id, from.offset);
  const { state: decoder, ...excerpt } = renderWindow(window, from.decoder, budget);
  return {
    ...excerpt,
    isNew: window.next > from.offset,
    state: window.state,
    position: { offset: window.next, decoder, screen: screen?.output.position.screen },
  };
}

/** Uses the screen, unless output has scrolled away. */
async function readTerminal(
  session: CommandSession,
  from: Position,
  budget: TextBudget,
): Promise<{ output: NewOutput; isWhole: boolean }> {
  const { snapshot, offset, start, state } = await session.terminal.readScreen();
  const isNew = offset > from.offset;
  const excerpt = renderText(isNew ? newScreenText(snapshot, from.screen) : "", budget);
  return {
    output: {
      ...excerpt,
      isNew,
      state,
      position: { offset, decoder: INITIAL_DECODER_STATE, screen: snapshot },
    },
    isWhole: snapshot.isFullScreen || (start <= from.offset && !hasGap(snapshot, from.screen)),
  };
}
