import type { ProcessOutput } from "@haft/core";

/**
 * Output that came with the news that its command has ended. It is what a question at that moment would be answered: what the
 * command left running can go on writing, so in the next turn of the event loop the runner is asked again.
 */
export class LatestOutput {
  readonly #outputs = new Map<string, ProcessOutput>();

  /** @param output all there was */
  keep(id: string, output: ProcessOutput): void {
    if (this.#outputs.size === 0) setImmediate(() => this.#outputs.clear());
    this.#outputs.set(id, output);
  }

  read(id: string, from: number, max = Infinity): ProcessOutput | undefined {
    const output = this.#outputs.get(id);
    return output !== undefined && from === 0 && output.total <= max ? output : undefined;
  }
}
