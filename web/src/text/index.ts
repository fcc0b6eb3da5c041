// The page's language, and sentences with their gaps filled.
import { en, type Texts } from "./en";
import { es } from "./es";
import type { Language } from "../wire";

let texts: Texts = en;

/** Chooses the language; `auto` follows the browser. */
export function speak(language: Language, browser: string): void {
  const spanish = language === "es" || (language === "auto" && browser.toLowerCase().startsWith("es"));
  texts = spanish ? es : en;
}

/** A sentence with `{gaps}` filled in. */
export function t(key: keyof Texts, gaps: Record<string, string | number> = {}): string {
  return texts[key].replace(/\{(\w+)\}/g, (whole, name: string) =>
    name in gaps ? String(gaps[name]) : whole,
  );
}
