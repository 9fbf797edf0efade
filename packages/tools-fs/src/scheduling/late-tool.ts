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
export function lateTool<Params, Options extends { workspace?: Workspace }, Details>(
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
