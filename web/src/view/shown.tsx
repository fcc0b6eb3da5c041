// Text from commands and their output. It arrives cleaned, in pieces; here each piece is a
// text node, so no text can become an element.
import { Component } from "preact";
import { t } from "../text";
import { bytes } from "../time";
import type { ShownText, Styled } from "../wire";

/** A command: hidden characters as marks, the deciding parts marked. */
export function Shown({ text }: { text: ShownText }) {
  return (
    <>
      <code class="command">
        {text.pieces.map((piece) => {
          const decides = (piece.findings?.length ?? 0) > 0;
          const looks = [piece.hidden && "hidden", decides && "decides"].filter(Boolean).join(" ");
          if (!looks) return piece.text;
          return decides ? <mark class={looks}>{piece.text}</mark> : <span class={looks}>{piece.text}</span>;
        })}
      </code>
      {text.has_hidden && <span class="badge warn">{t("hiddenCharacters")}</span>}
      {text.left_out > 0 && <span class="badge warn">{t("leftOut", { bytes: bytes(text.left_out) })}</span>}
    </>
  );
}

/** A sentence of the filter: what stands between backticks in it looks like code. */
export function Sentence({ text }: { text: string }) {
  return <>{text.split("`").map((part, i) => (i % 2 === 1 ? <code>{part}</code> : part))}</>;
}

const LOOKS = ["bold", "dim", "italic", "underlined", "inverse", "struck", "code"];
const BASE_COLOURS = 16;

/** A part of an output. Colours come as classes of the first sixteen; others stay plain. */
export class Pieces extends Component<{ pieces: Styled[]; gap?: number }> {
  // Output that was drawn never changes; only new parts cost anything.
  override shouldComponentUpdate(next: { pieces: Styled[] }) {
    return next.pieces !== this.props.pieces;
  }

  override render() {
    const { pieces, gap = 0 } = this.props;
    return (
      <>
        {gap > 0 && <span class="gap">{t("skipped", { bytes: bytes(gap) })}</span>}
        {pieces.map((piece) => {
          const names = LOOKS.filter((_, bit) => (piece.look ?? 0) & (1 << bit));
          for (const [side, colour] of [["fg", piece.fg], ["bg", piece.bg]] as const) {
            const number = Number(colour);
            if (colour && number >= 0 && number < BASE_COLOURS) names.push(`${side}${number}`);
          }
          if (piece.hidden) names.push("hidden");
          return names.length ? <span class={names.join(" ")}>{piece.text}</span> : piece.text;
        })}
      </>
    );
  }
}
