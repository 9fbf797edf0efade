// Stands for a module of the library in what is published: that one brings a compiler of JSON Schema, 300 kB, which nobody here
// asks for anything.
export { default as process } from "node:process";

/** What the library checks with where nobody gives it something else. */
export class DefaultJsonSchemaValidator {
  /** @throws always */
  getValidator(): never {
    throw new Error("Servers of this package bring what they check forms with.");
  }
}

/** What the library's client asks of it besides: only browsers keep answers from programs. */
export const CORS_IS_POSSIBLE = false;
