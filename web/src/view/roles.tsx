// Roles and their tools. The built-in ones are fixed.
import type { Page } from "../page";
import { t } from "../text";
import type { Tool } from "../wire";

const TOOLS: Tool[] = ["read_files", "write_files", "run_commands"];

export function Roles({ page }: { page: Page }) {
  return (
    <section>
      <h1>{t("roles")}</h1>
      <p class="quiet">{t("rolesHelp")}</p>
      <div class="scrolls" tabIndex={0} role="group" aria-label={t("roles")}><table>
        <thead><tr><th scope="col">{t("role")}</th>{TOOLS.map((tool) => <th scope="col">{t(`tool_${tool}`)}</th>)}<th scope="col"><span class="unseen">{t("builtIn")}</span></th></tr></thead>
        <tbody>{page.state.roles.map((role) => (
          <tr><th scope="row">{role.name}</th>
            {TOOLS.map((tool) => <td>{role.tools.includes(tool) ? <span class="verdict allowed">{t("yes")}</span> : <span class="quiet">{t("no")}</span>}</td>)}
            <td class="quiet">{t(role.built_in ? "builtIn" : "custom")}</td></tr>))}</tbody>
      </table></div>
    </section>
  );
}
