// The page's language, and sentences with their gaps filled.
import { en, type Texts } from "./en";
import { es } from "./es";
import { translated, type Sentence } from "./sentences";
import { spanish } from "./spanish";
import type { Language } from "../wire";

let texts: Texts = en;
let sentences: Sentence[] = [];

/** Chooses the language; `auto` follows the browser. */
export function speak(language: Language, browser: string): void {
  const spanish = language === "es" || (language === "auto" && browser.toLowerCase().startsWith("es"));
  texts = spanish ? es : en;
}

/** Loads what the gateway says in the page's language; English needs nothing. */
export async function learn(): Promise<void> {
  if (texts === es && sentences.length === 0) sentences = await spanish();
}

/** A sentence with `{gaps}` filled in. */
export function t(key: keyof Texts, gaps: Record<string, string | number> = {}): string {
  return texts[key].replace(/\{(\w+)\}/g, (whole, name: string) =>
    name in gaps ? String(gaps[name]) : whole,
  );
}

/** A sentence of the gateway, in the page's language where it is known. */
export function said(text: string): string {
  return texts === es ? translated(sentences, text) ?? text : text;
}
