import type { CallPlan, PlanContext, ToolContext, ToolResult, Workspace } from "@haft/plugin-sdk";

export interface FileCall<Params, Options = object> {
  /** Its id; none while it is planned. */
  id?: string;
  params: Params;
  options: Options;
  signal: AbortSignal;
  workspace: Workspace;
  /** Empty for a tool that brings its own workspace and is called without a session. */
  context: Partial<ToolContext>;
}

interface Work<Params, Options, Details> {
  plan(call: FileCall<Params, Options>): Promise<CallPlan>;
  run(call: FileCall<Params, Options>): Promise<ToolResult<Details>>;
}

/** What a tool plans and does, by a part of this package that is loaded late. */
export function createLazyTool<Params, Options extends { workspace?: Workspace }, Details>(
  work: () => Work<Params, Options, Details> | Promise<Work<Params, Options, Details>>,
  options: Options,
) {
  const callOf = (params: Params, signal: AbortSignal, context: PlanContext): FileCall<Params, Options> => ({
    params,
    options,
    signal,
    workspace: options.workspace ?? context.workspace,
    context: context ?? {},
  });
  return {
    async plan(params: Params, context: PlanContext, signal: AbortSignal) {
      return (await work()).plan(callOf(params, signal, context));
    },
    async execute(id: string, params: Params, signal: AbortSignal, _onUpdate: unknown, context: ToolContext) {
      return (await work()).run({ ...callOf(params, signal, context), id });
    },
  };
}

/** Where calls wait while something is being loaded: one line for the whole package. */
let line: Promise<void> | undefined;

/**
 * The one way in which this package loads a part of itself late: with the first call that needs it; later calls are
 * answered with the module itself. Calls go on in the order in which they came, whatever each of them has to wait
 * for: of two that change one file, the second never overtakes the first.
 */
export function lazyModule<Module>(load: () => Promise<Module>): () => Module | Promise<Module> {
  let loaded: Module | undefined;
  const inTurn = async (before: Promise<void> | undefined): Promise<Module> => {
    await before;
    return (loaded ??= await load());
  };
  return () => {
    if (loaded !== undefined && line === undefined) return loaded;
    const turn = inTurn(line);
    const over = end(turn);
    line = over;
    void closeAfter(over);
    return turn;
  };
}

/** What could not be loaded now, with too many files open, may be another time. */
async function end(turn: Promise<unknown>): Promise<void> {
  try {
    await turn;
  } catch {
    // The call itself fails.
  }
}

async function closeAfter(over: Promise<void>): Promise<void> {
  await over;
  if (line === over) line = undefined;
}
