import type { CompoundList, If, While } from "unbash";
import { expectNext, markUnclear, SKIPPED_EXPORT, type State } from "./state.ts";

type ReadList = (list: CompoundList, state: State) => Promise<void>;

/** Reads each branch as if it ran, since the condition decides when the line runs. */
export async function readIf(node: If, state: State, readList: ReadList): Promise<void> {
  const { cwd, exported } = state;
  const ends: Pick<State, "cwd" | "variables" | "pendingCd">[] = [];
  const readBranch = async (list: CompoundList): Promise<void> => {
    const { variables } = state;
    await readList(list, state);
    ends.push({ cwd: state.cwd, variables: state.variables, pendingCd: state.pendingCd });
    Object.assign(state, { cwd, variables, pendingCd: undefined });
  };
  const readCondition = async (word: string, list: CompoundList): Promise<void> => {
    state.shape.push(`${word} `);
    await readList(list, state);
    if (state.cwd !== cwd || state.pendingCd !== undefined)
      markUnclear(state, "it uses cd in a condition (if)");
    expectAfter(list, "then", state);
    state.shape.push("\n", "then\n");
  };
  expectNext(state, "if");
  await readCondition("if", node.clause);
  const { variables } = state;
  await readBranch(node.then);
  let last = node.then;
  for (const { clause, then } of node.elif) {
    expectAfter(last, "elif", state);
    state.shape.push("\n");
    await readCondition("elif", clause);
    await readBranch(then);
    last = then;
  }
  if (node.else !== undefined) {
    expectAfter(last, "else", state);
    state.shape.push("\n", "else\n");
    await readBranch(node.else);
  }
  expectNext(state, "fi");
  state.shape.push("\n", "fi");
  if (state.exported !== exported) markUnclear(state, SKIPPED_EXPORT);
  const moved = ends.find((end) => end.cwd !== cwd || end.pendingCd !== undefined);
  if (moved !== undefined)
    Object.assign(state, { cwd: moved.cwd, pendingCd: { slot: undefined, isOptional: true } });
  state.variables = withoutChanged([state.variables, ...ends.map((end) => end.variables)], variables);
}

/** Reads the body once, so later rounds must not depend on changes of earlier ones. */
export async function readWhile(node: While, state: State, readList: ReadList): Promise<void> {
  const { cwd, variables, looksAfter } = state;
  expectNext(state, node.kind);
  state.shape.push(`${node.kind} `);
  await readList(node.clause, state);
  expectAfter(node.clause, "do", state);
  state.shape.push("\n", "do\n");
  await readList(node.body, state);
  const what = `in a loop (${node.kind})`;
  if (state.cwd !== cwd || state.pendingCd !== undefined) markUnclear(state, `it uses cd ${what}`);
  if (state.variables !== variables) markUnclear(state, `it sets a variable ${what}`);
  if (state.looksAfter !== looksAfter) markUnclear(state, `it looks for file names ${what}`);
  state.unordered = "repeated";
  expectNext(state, "done");
  state.shape.push("\n", "done");
}

/** A command in the background ends with `&`, without `;`. */
function expectAfter({ commands }: CompoundList, word: string, state: State): void {
  if (commands.at(-1)?.background === true) expectNext(state, word);
  else expectNext(state, ";", word);
}

/** A variable has an unknown value if any of these has another than before. */
function withoutChanged(all: readonly State["variables"][], before: State["variables"]): State["variables"] {
  if (all.every((variables) => variables === before)) return before;
  const names = new Set(all.flatMap((variables) => [...variables.keys()]));
  return new Map(
    [...names].map((name) => {
      const value = before.get(name);
      const isSame = before.has(name) && all.every((one) => one.has(name) && one.get(name) === value);
      return [name, isSame ? value : undefined];
    }),
  );
}
