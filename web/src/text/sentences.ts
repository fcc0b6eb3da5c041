// Sentences that the gateway says in English, in the page's language. They stay beside the
// rules they belong to (`spanish.txt` of the crates); a page in Spanish loads them once. One
// that isn't there is shown as it came.

/** A sentence cut at its gaps, and the same in the other language. */
export interface Sentence {
  parts: string[];
  /** Whether the last gap holds another sentence. */
  nests: boolean;
  said: string[];
}

const GAP = /\{\}|\{…\}/;

/** Reads the form of `spanish.txt`. Pure. */
export function parsed(text: string): Sentence[] {
  const blocks = text.split("\n").filter((line) => !line.startsWith("#")).join("\n").split(/\n{2,}/);
  return blocks.flatMap((block) => {
    const [english, other] = block.trim().split("\n");
    if (!english || !other) return [];
    return [{ parts: english.split(GAP), nests: english.endsWith("{…}"), said: other.split(GAP) }];
  });
}

/** A text in the other language; nothing where the table doesn't have it. The gaps' texts
 * are somebody else's: they are kept as they are, and only a whole sentence fits. Pure. */
export function translated(table: Sentence[], text: string): string | undefined {
  let best: { length: number; words: string } | undefined;
  for (const sentence of table) {
    const length = sentence.parts.reduce((sum, part) => sum + part.length, 0);
    if (best && length <= best.length) continue;
    const gaps = filled(sentence.parts, text);
    if (!gaps) continue;
    if (sentence.nests) {
      const inner = translated(table, gaps[gaps.length - 1] ?? "");
      if (inner === undefined) continue;
      gaps[gaps.length - 1] = inner;
    }
    best = { length, words: sentence.said.map((part, i) => part + (gaps[i] ?? "")).join("") };
  }
  return best?.words;
}

/** What stands in the gaps between the parts, each as short as can be. */
function filled(parts: string[], text: string): string[] | undefined {
  const [first = "", ...others] = parts;
  const last = others.pop();
  if (last === undefined) return text === first ? [] : undefined;
  if (!text.startsWith(first)) return undefined;
  const gaps: string[] = [];
  let at = first.length;
  for (const part of others) {
    const next = text.indexOf(part, at);
    if (next < 0) return undefined;
    gaps.push(text.slice(at, next));
    at = next + part.length;
  }
  const end = text.length - last.length;
  if (end < at || !text.endsWith(last)) return undefined;
  gaps.push(text.slice(at, end));
  return gaps;
}
