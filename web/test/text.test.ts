import { expect, test } from "vitest";
import { speak, t } from "../src/text";
import { en } from "../src/text/en";
import { es } from "../src/text/es";
import { bytes, countdown, duration } from "../src/time";

test("both languages fill the same gaps", () => {
  const gaps = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map((m) => m[1]).sort();
  for (const key of Object.keys(en) as (keyof typeof en)[]) expect(gaps(es[key]), key).toEqual(gaps(en[key]));
});

test("the language follows the setting, then the browser", () => {
  speak("auto", "es-MX");
  expect(t("deny")).toBe("Denegar");
  speak("en", "es-MX");
  expect(t("timeLeft", { time: "5 s" })).toBe("5 s left");
});

test.each([[0, "0 s"], [900, "1 s"], [59_000, "59 s"], [65_000, "1:05"]])("countdown %i", (ms, text) => {
  expect(countdown(ms)).toBe(text);
});
test.each([[12, "12 B"], [3400, "3.4 KB"], [5_600_000, "5.6 MB"]])("bytes %i", (n, text) => expect(bytes(n)).toBe(text));
test.each([[320, "320 ms"], [4200, "4.2 s"], [125_000, "2 min 5 s"]])("duration %i", (n, text) => expect(duration(n)).toBe(text));
