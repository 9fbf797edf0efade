import {
  type ContainmentFacts,
  HaftError,
  type ExecutionTarget,
  type Processes,
  type Workspace,
} from "@haft/core";

/** A command that reached the workspace, and was not started there. */
export interface StartedCommand {
  outside: boolean;
}

/** A workspace with real files, whose commands are noted down in the last moment. */
export function interceptCommands(
  files: Workspace,
  { target: where, containment }: { target?: ExecutionTarget; containment?: ContainmentFacts | undefined },
): { workspace: Workspace; started: StartedCommand[] } {
  const started: StartedCommand[] = [];
  const real = files.processes!;
  const processes = new Proxy(real, {
    get(target, name) {
      if (name === "start")
        return (_callerId: string, spec: Parameters<Processes["start"]>[1]) => {
          started.push({ outside: spec.outside === true });
          return Promise.reject(
            new HaftError("INTERCEPTED", "The command was not started.", { category: "operational" }),
          );
        };
      if (name === "identify")
        return (names: Parameters<Processes["identify"]>[0], where: Parameters<Processes["identify"]>[1]) =>
          target.identify(names, { ...where, outside: false });
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const workspace = new Proxy(files, {
    get(target, name) {
      if (name === "processes") return processes;
      if (name === "describe")
        return () => ({
          ...target.describe(),
          ...(where && { target: where }),
          ...(containment && { containment }),
        });
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { workspace, started };
}
