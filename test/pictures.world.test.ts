import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { drawTerminal } from "../scripts/lib/pictures/draw-terminal.ts";
import { pagePictures, showPagePictures } from "../scripts/lib/pictures/page-pictures.ts";
import { playStory } from "../scripts/lib/pictures/play-story.ts";
import { readScreen } from "../scripts/lib/pictures/read-screen.ts";
import { stories, type Story } from "../scripts/lib/pictures/stories.ts";
import { haftCommand } from "./support/build-under-test.ts";
import { noBrowser } from "./support/chromium.ts";

// Pictures of the documents show what the command shows.

const folder = join(import.meta.dirname, "../docs/pictures");

test.each(stories)(
  "the picture $name matches the output of the command (npm run pictures)",
  async (story: Story) => {
    expect(await playStory(story, haftCommand)).toBe(readFileSync(join(folder, `${story.name}.svg`), "utf8"));
  },
);

test.skipIf(noBrowser !== undefined)(
  "the pictures of the page match the page, as far as text shows (npm run pictures)",
  async () => {
    const seen: string[] = [];
    for await (const { name, text } of showPagePictures()) {
      expect.soft(text, name).toBe(readFileSync(join(folder, `${name}.txt`), "utf8"));
      expect(
        readFileSync(join(folder, `${name}.png`))
          .subarray(1, 4)
          .toString(),
      ).toBe("PNG");
      seen.push(name);
    }
    expect(seen).toEqual(pagePictures.map(({ name }) => name));
  },
);

test("a story that does not go as it says makes no picture", async () => {
  const story = { ...stories[0]!, steps: [{ title: "a slip", type: "haft toosl" }] };
  await expect(playStory(story, haftCommand)).rejects.toThrow(
    /exit code 2 instead of 0[^]*Did you mean tools/,
  );
});

describe("a drawn terminal", () => {
  const draw = async (told: string, cols = 20) =>
    drawTerminal(await readScreen(told, cols), { title: "t", altText: "d", cols });

  test("keeps words at their columns, colours and bold text, and removes deleted lines", async () => {
    const drawn = await draw("wait\r\u001b[K\u001b[1;33mid\u001b[0m  b\r\n\u001b[2mfaint\u001b[0m");
    expect(drawn).not.toContain("wait");
    expect(drawn).toContain('fill="#f0c674" font-weight="700">id</text>');
    expect(drawn).toMatch(/<text x="53\.6" y="50" textLength="8\.4">b<\/text>/);
    expect(drawn).toMatch(/y="70"[^>]* fill="#99a3b1">faint</);
  });

  test("output of a program is text in it, never markup", async () => {
    const drawn = await draw('</text><script>x</script> & "', 40);
    expect(drawn).not.toContain("<script>");
    expect(drawn).toContain("&lt;/text&gt;&lt;script&gt;x&lt;/script&gt; &amp; &quot;");
  });

  test("lines that are too long are broken where the terminal breaks them", async () => {
    const drawn = await draw("abcdefgh", 5);
    expect(drawn).toMatch(/>abcde<[^]*>fgh</);
  });
});
