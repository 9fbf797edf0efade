/** One message of a stream of server-sent events. */
export interface StreamMessage {
  event: string;
  data: string;
  id?: string;
}

/**
 * Takes a stream of server-sent events apart. `EventSource` would do, but it cannot send a token as a header.
 * Comments (`: …`) keep the connection alive and are nothing.
 */
export class SseParser {
  #rest = "";
  #message: StreamMessage = { event: "message", data: "" };
  #lines: string[] = [];

  /** The messages that are whole with this piece. */
  push(piece: string): StreamMessage[] {
    const lines = (this.#rest + piece).split(/\r?\n/);
    this.#rest = lines.pop()!;
    return lines.flatMap((line) => this.#line(line));
  }

  #line(line: string): StreamMessage[] {
    if (line === "") {
      const whole = { ...this.#message, data: this.#lines.join("\n") };
      const isOne = this.#lines.length > 0;
      this.#message = { event: "message", data: "" };
      this.#lines = [];
      return isOne ? [whole] : [];
    }
    const [, name, value] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === "data") this.#lines.push(value ?? "");
    else if (name === "event") this.#message.event = value ?? "message";
    else if (name === "id") this.#message.id = value ?? "";
    return [];
  }
}
