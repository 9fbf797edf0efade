import { expect, test } from "vitest";
import { escapeHtml } from "../src/api/render-comment.ts";

test("what a comment says is text: no element, no expression of Vue, no end of an attribute", () => {
  expect(escapeHtml('<b a="1">&amp; {{ process.exit() }}')).toBe(
    "&lt;b a=&quot;1&quot;&gt;&amp;amp; <span v-pre>{{</span> process.exit() }}",
  );
});
