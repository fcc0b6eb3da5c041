// What a bubble said in chat: text and code blocks, nothing of it acts. Each code block can
// be put on the person's own input line.
import type { Page } from "../page";
import { t } from "../text";
import { clock } from "../time";
import type { Said } from "../wire";
import { Insert } from "./insert";
import { Pieces } from "./shown";

export function SaidItem({ said, page }: { said: Said; page: Page }) {
  return (
    <li class="entry said" data-said={said.id}>
      <p class="quiet"><time>{clock(said.time, page.now, t("lang"))}</time> <b>{said.bubble}</b> {t("cardOf", { role: said.role, loop: said.loop_name })}{said.host && ` · ${said.host}`}</p>
      {said.blocks.map((block, i) => (block.is_code ? (
        <div class="code-block">
          <pre class="output" tabIndex={0} role="group" aria-label={t("code")}><Pieces pieces={block.pieces} /></pre>
          <Insert from={{ code: { said: said.id, block: i } }} page={page} />
        </div>
      ) : <div class="words"><Pieces pieces={block.pieces} /></div>))}
    </li>
  );
}
