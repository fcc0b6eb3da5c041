// Every request the page makes, in one place. The page talks to its own origin only and
// reads no address from anywhere.
import type {
  AnswerRequest, AnswerResult, BoardId, BubbleTools, DecisionSource, DockerImage, Entry, ImageSize, InsertResult, InsertSource, JournalPage, NetworkSetting, OutputRange,
  PageKey, Problem, RuleFile, SelfTest, SettingsChange, Snapshot, Stream, TerminalId, Verdict, WindowId,
} from "./wire";

let pageKey = "";

/** A refusal or failure of the gateway, with its stable name. */
export class Failure extends Error {
  constructor(readonly id: string, text: string, readonly status: number) {
    super(text);
  }
}

async function send(method: string, path: string, body?: unknown): Promise<Response> {
  const headers: Record<string, string> = {};
  if (pageKey) headers["x-cerco-page"] = pageKey;
  if (body !== undefined) headers["content-type"] = "application/json";
  const answer = await fetch(path, {
    method, headers, credentials: "same-origin", cache: "no-store",
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return taken(answer);
}

/** The answer, or its refusal as an error. */
async function taken(answer: Response): Promise<Response> {
  if (answer.ok) return answer;
  const text = await answer.text();
  let problem: Problem = { id: "http_" + answer.status, text: answer.statusText };
  try {
    problem = JSON.parse(text) as Problem;
  } catch {
    // Not ours: the status says all there is.
  }
  throw new Failure(problem.id, problem.text, answer.status);
}

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const text = await (await send(method, path, body)).text();
  return (text ? JSON.parse(text) : undefined) as T;
}

const id = encodeURIComponent;

declare global {
  interface Window {
    /** What `first.js` asked for while this code was on its way: once. */
    first?: { code: string | null; answer: Promise<Response> };
  }
}

/** The session with the state in it: a page
 * that opens waits for one answer. A code that was used already is no loss where its
 * session goes on. */
export async function signIn(): Promise<PageKey> {
  const { first } = window;
  delete window.first;
  const again = () => call<PageKey>("POST", "/api/page", {});
  const asked = first ? first.answer.then(taken).then((answer) => answer.json() as Promise<PageKey>) : again();
  const page = await asked.catch((failure: unknown) => {
    if (!first || first.code === null) throw failure;
    return again().catch(() => { throw failure; });
  });
  pageKey = page.key;
  return page;
}

export const state = () => call<Snapshot>("GET", "/api/state");
export const answer = (ask: string, body: AnswerRequest) =>
  call<AnswerResult>("POST", `/api/asks/${id(ask)}/answer`, body);
export const extend = (ask: string, window: WindowId) =>
  call<void>("POST", `/api/asks/${id(ask)}/extend`, { window });
export const askAgain = (ask: string) => call<void>("POST", `/api/asks/${id(ask)}/again`, {});
export const denyAll = (loop: string, window: WindowId, note: string | null) =>
  call<void>("POST", `/api/loops/${id(loop)}/deny-all`, { window, note });
export const openBoard = (project: string) => call<BoardId>("POST", "/api/boards", { project });
export const createLoop = (board: string, name: string, folder: string) =>
  call<void>("POST", `/api/boards/${id(board)}/loops`, { name, folder });
export const removeLoop = (loop: string) => call<void>("DELETE", `/api/loops/${id(loop)}`);
export const createBubble = (loop: string, name: string, tools: BubbleTools) =>
  call<void>("POST", `/api/loops/${id(loop)}/bubbles`, { name, tools });
export const endBubble = (bubble: string) => call<void>("DELETE", `/api/bubbles/${id(bubble)}`);
export const revoke = (board: string, grant: string) =>
  call<void>("DELETE", `/api/boards/${id(board)}/grants/${id(grant)}`);
export const fullAuto = (board: string, on: boolean, typed: string | null, window: WindowId) =>
  call<void>("PUT", `/api/boards/${id(board)}/full-auto`, { on, typed, window });
export const cancel = (entry: string) => call<void>("POST", `/api/entries/${id(entry)}/cancel`, {});
export const saveSettings = (changes: SettingsChange) => call<void>("PUT", "/api/settings", changes);
export const checkReadiness = () => call<void>("POST", "/api/readiness", {});
export const dockerImage = () => call<DockerImage>("GET", "/api/docker/image");
export const measureImage = () => call<ImageSize>("POST", "/api/docker/image/measure", {});
export const downloadImage = (digest: string) => call<void>("POST", "/api/docker/image/download", { digest });
export const stopDownload = () => call<void>("DELETE", "/api/docker/image/download");
export const selfTest = () => call<SelfTest>("POST", "/api/self-test", {});
export const setNetwork = (board: string, network: NetworkSetting | null) =>
  call<void>("PUT", `/api/boards/${id(board)}/network`, { network });
export const setHideSecrets = (board: string, hide_secrets: boolean | null) =>
  call<void>("PUT", `/api/boards/${id(board)}/hide-secrets`, { hide_secrets });
export const rules = () => call<RuleFile[]>("GET", "/api/rules");
export const entry = (which: string) => call<Entry>("GET", `/api/entries/${id(which)}`);
export const output = (which: string, stream: Stream, from: number) =>
  call<OutputRange>("GET", `/api/entries/${id(which)}/output?stream=${stream}&from=${from}`);
export const openTerminal = (shell: string, folder: string | null, columns: number, rows: number) =>
  call<TerminalId>("POST", "/api/terminals", { shell, folder, columns, rows });
export const closeTerminal = (terminal: string) =>
  call<void>("DELETE", `/api/terminals/${id(terminal)}`);
export const insert = (terminal: string, from: InsertSource, confirmed: boolean) =>
  call<InsertResult>("POST", `/api/terminals/${id(terminal)}/insert`, { from, confirmed });

export interface Search {
  text?: string;
  board?: string;
  verdict?: Verdict;
  source?: DecisionSource;
  before?: number;
  limit?: number;
}

export function journal(search: Search): Promise<JournalPage> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined && value !== "") query.set(name, String(value));
  }
  return call<JournalPage>("GET", `/api/journal?${query.toString()}`);
}

/** The whole journal, as JSON lines. */
export const exported = async (): Promise<Blob> => (await send("GET", "/api/journal/export")).blob();

/** A WebSocket to the page's own gateway. */
export function socket(path: string): WebSocket {
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  return new WebSocket(`${scheme}//${location.host}${path}`);
}
