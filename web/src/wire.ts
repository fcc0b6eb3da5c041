// Generated from crates/cerco-gateway/src/wire by its tests; don't edit.
// To write it anew: UPDATE=1 cargo test -p cerco-gateway typescript

export const SCHEMA_VERSION = 1;

/**
 * The three answers.
 */
export type Answer = "allow_once" | "allow_always" | "deny";

/**
 * A person's answer: the body of `POST /api/asks/{id}/answer`.
 */
export type AnswerRequest = { 
/**
 * The answer.
 */
answer: Answer, 
/**
 * For [`Answer::AllowAlways`]: the kinds still ticked. They have to be shown ones.
 */
kinds: Array<string>, 
/**
 * A note to the agent, with Deny.
 */
note: string | null, 
/**
 * The command as the person changed it. It goes through all layers again.
 */
edited: string | null, 
/**
 * The window that answers.
 */
window: WindowId, };

/**
 * What became of an answer.
 */
export type AnswerResult = { "result": "settled" } | { "result": "too_late", 
/**
 * How the ask stands.
 */
now: AskState, } | { "result": "too_fast", 
/**
 * When it may be sent again, in milliseconds.
 */
retry_in_ms: number, } | { "result": "edit_refused", 
/**
 * Why.
 */
findings: Array<Finding>, } | { "result": "asked_again" };

/**
 * A question to a person, as a card.
 */
export type AskCard = { 
/**
 * Its id.
 */
id: AskId, 
/**
 * The journal entry of the command.
 */
entry: EntryId, 
/**
 * The board.
 */
board: BoardId, 
/**
 * The loop.
 */
loop_id: LoopId, 
/**
 * The loop's name; safe to show.
 */
loop_name: string, 
/**
 * The bubble.
 */
bubble: BubbleId, 
/**
 * The bubble's name; safe to show.
 */
bubble_name: string, 
/**
 * Its role's name; safe to show.
 */
role: string, 
/**
 * The host that asked, as it calls itself; safe to show.
 */
host: string, 
/**
 * The command, ready to show.
 */
command: ShownText, 
/**
 * The command's text as it would run, for "edit before run". Show `command`, never this.
 */
text: string, 
/**
 * Why it is asked about.
 */
findings: Array<Finding>, 
/**
 * Every program it would start.
 */
programs: Array<ProgramRow>, 
/**
 * What has to be answered, each kind once.
 */
kinds: Array<AskKind>, 
/**
 * The folder it would run in, relative to the project; safe to show.
 */
folder: string, 
/**
 * How the sandbox would hold it.
 */
sandbox: SandboxLine, 
/**
 * The chain of the layers.
 */
explain: Array<ExplainLine>, 
/**
 * When it was asked.
 */
asked_at: number, 
/**
 * Time left until it is refused, in milliseconds, when this was sent.
 */
left_ms: number, 
/**
 * Until when answers are taken for a slip of the hand (it just appeared).
 */
ready_in_ms: number, 
/**
 * How often the same command of this loop was already denied or refused.
 */
repeats: number, 
/**
 * How it stands.
 */
state: AskState, };

/**
 * One ask.
 */
export type AskId = string;

/**
 * One kind of an ask.
 */
export type AskKind = { 
/**
 * Its words: `git commit`, `delete files`.
 */
kind: string, 
/**
 * Whether "always" may be offered for it.
 */
grantable: boolean, };

/**
 * How an ask stands.
 */
export type AskState = { "state": "open" } | { "state": "answered", 
/**
 * The answer.
 */
answer: Answer, 
/**
 * The window it came from.
 */
window: WindowId, 
/**
 * The note to the agent.
 */
note: string | null, } | { "state": "expired" } | { "state": "withdrawn" } | { "state": "no_window" };

/**
 * What the operating system offers to hold a command.
 */
export type Backend = "bubblewrap" | "sandbox-exec" | "wsl" | "docker";

/**
 * One project as the gateway sees it.
 */
export type Board = { 
/**
 * Its id.
 */
id: BoardId, 
/**
 * Its name (the project folder's own name); safe to show. Full Auto is switched on by typing it.
 */
name: string, 
/**
 * The project's folder; safe to show.
 */
project: string, 
/**
 * Its loops; a nested loop names its parent.
 */
loops: Array<Loop>, 
/**
 * Full Auto.
 */
full_auto: FullAuto, 
/**
 * The network of its commands in the sandbox; nothing: as the settings say.
 */
network: NetworkSetting | null, 
/**
 * Whether the project's secret-looking files are hidden from them; nothing: as the
 * settings say.
 */
hide_secrets: boolean | null, 
/**
 * What was allowed for this session.
 */
grants: Array<Grant>, };

/**
 * One board.
 */
export type BoardId = string;

/**
 * One agent at work in a loop.
 */
export type Bubble = { 
/**
 * Its id.
 */
id: BubbleId, 
/**
 * Its name; safe to show.
 */
name: string, 
/**
 * Its role.
 */
role: Role, 
/**
 * The host that drives it, as it calls itself; safe to show.
 */
host: string | null, 
/**
 * What it does.
 */
state: BubbleState, 
/**
 * Its running commands.
 */
runs: Array<EntryId>, };

/**
 * One bubble of a loop.
 */
export type BubbleId = string;

/**
 * What a bubble does.
 */
export type BubbleState = "idle" | "waiting" | "running" | "ended";

/**
 * Where a new bubble's tools come from.
 */
export type BubbleTools = { "role": string } | { "custom": Array<Tool> };

/**
 * The body of `POST /api/loops/{id}/bubbles`: a role, or a name with tools of its own.
 */
export type CreateBubble = { 
/**
 * The bubble's name.
 */
name: string, 
/**
 * A role by its name, or tools that a person picked.
 */
tools: BubbleTools, };

/**
 * The body of `POST /api/boards/{id}/loops`.
 */
export type CreateLoop = { 
/**
 * Its name.
 */
name: string, 
/**
 * Its folder, relative to the project. It has to exist.
 */
folder: string, };

/**
 * One rule of a file.
 */
export type CustomRule = { 
/**
 * Its name; safe to show.
 */
id: string, 
/**
 * What it makes of a command.
 */
verdict: Verdict, 
/**
 * The program and the words that follow; safe to show.
 */
about: string, 
/**
 * Why; safe to show.
 */
reason: string, };

/**
 * What was decided.
 */
export type Decision = "pending" | "allow" | "deny";

/**
 * On whose word a command ran or did not.
 */
export type DecisionSource = "rule" | "tools" | "user_temporary" | "user_permanent" | "user_reject" | "user_abort" | "grant" | "full_auto" | "no_window" | "timeout" | "sandbox";

/**
 * The body of `POST /api/loops/{id}/deny-all`.
 */
export type DenyAllRequest = { 
/**
 * The window that denies.
 */
window: WindowId, 
/**
 * A note to the agents.
 */
note: string | null, };

/**
 * The image that commands would run in (`GET /api/docker/image`).
 */
export type DockerImage = { 
/**
 * Its name and tag.
 */
name: string, 
/**
 * How it stands.
 */
state: DockerImageState, };

/**
 * How the image stands.
 */
export type DockerImageState = { "state": "unreachable", 
/**
 * What was found; safe to show.
 */
found: string, 
/**
 * The one step, where there is one.
 */
step: Step | null, } | { "state": "absent", 
/**
 * Why the last download didn't come to its end; safe to show.
 */
failed: string | null, } | { "state": "downloading", 
/**
 * The whole download in bytes; nothing where it isn't known.
 */
bytes: number | null, 
/**
 * The bytes of the layers that are here.
 */
done: number, 
/**
 * How many layers it has.
 */
layers: number, 
/**
 * How many of them are here.
 */
layers_done: number, } | { "state": "present", 
/**
 * Its size there, unpacked, in bytes.
 */
bytes: number | null, };

/**
 * The body of `POST /api/docker/image/download`: what the dialog stated.
 */
export type DownloadImage = { 
/**
 * The digest that was measured for the dialog.
 */
digest: string, };

/**
 * One command's whole story.
 */
export type Entry = { 
/**
 * Its id.
 */
id: EntryId, 
/**
 * Its number; grows by one.
 */
seq: number, 
/**
 * When it was opened: before the command started.
 */
time: number, 
/**
 * The board, where a gateway ran it.
 */
board: BoardId | null, 
/**
 * The project's folder; safe to show.
 */
project: string, 
/**
 * The loop, where it is known.
 */
loop_id: LoopId | null, 
/**
 * The loop's folder, relative to the project; safe to show.
 */
loop_folder: string, 
/**
 * The bubble, where it is known.
 */
bubble: BubbleId | null, 
/**
 * The role's name; safe to show.
 */
role: string, 
/**
 * The host, as it calls itself; safe to show.
 */
host: string, 
/**
 * The command, secrets masked, ready to show.
 */
command: ShownText, 
/**
 * The folder it ran in, relative to the project; safe to show.
 */
folder: string, 
/**
 * What the filter said.
 */
verdict: Verdict, 
/**
 * Why.
 */
findings: Array<Finding>, 
/**
 * What was decided in the end.
 */
decision: Decision, 
/**
 * On whose word.
 */
source: DecisionSource, 
/**
 * The ask, where there was one.
 */
ask: AskId | null, 
/**
 * The window that answered.
 */
answered_by: string | null, 
/**
 * How long it waited for an answer, in milliseconds.
 */
waited_ms: number | null, 
/**
 * The backend that held it; nothing: it ran without the sandbox, or not at all.
 */
backend: string | null, 
/**
 * Names of the variables that were kept from it.
 */
env_removed: Array<string>, 
/**
 * How the run stands.
 */
run: RunState, };

/**
 * One entry of the journal, and the run it records.
 */
export type EntryId = string;

/**
 * One line of "explain": tools → filter → grants → sandbox.
 */
export type ExplainLine = { 
/**
 * The layer.
 */
layer: Layer, 
/**
 * What it made of the command.
 */
verdict: Verdict, 
/**
 * Why, in one sentence; safe to show.
 */
text: string, };

/**
 * The body of `POST /api/asks/{id}/extend`.
 */
export type ExtendRequest = { 
/**
 * The window that asks for more time.
 */
window: WindowId, };

/**
 * One reason why a command is asked about or refused.
 */
export type Finding = { 
/**
 * The rule's id (`git-change`, `custom:no-terraform`).
 */
rule: string, 
/**
 * What it alone would make of the command.
 */
verdict: Verdict, 
/**
 * The part of the text that decided.
 */
part: Span, 
/**
 * One sentence a person understands; safe to show.
 */
reason: string, 
/**
 * What to do instead; safe to show.
 */
remedy: string | null, 
/**
 * For asked findings, what a grant would cover.
 */
kind: string | null, };

/**
 * The switch that turns every asked into allowed.
 */
export type FullAuto = { 
/**
 * Whether it is on.
 */
on: boolean, 
/**
 * Since when.
 */
since: number | null, 
/**
 * How many asks it allowed since then.
 */
allowed: number, };

/**
 * An "Allow always this session".
 */
export type Grant = { 
/**
 * Its id.
 */
id: GrantId, 
/**
 * The kind it covers.
 */
kind: string, 
/**
 * When it was given.
 */
given_at: number, 
/**
 * By which window.
 */
window: WindowId, 
/**
 * How often it was used.
 */
used: number, };

/**
 * One grant.
 */
export type GrantId = string;

/**
 * A program start that the guard refused.
 */
export type GuardRefused = { 
/**
 * The real arguments; safe to show.
 */
argv: Array<string>, 
/**
 * The rule's id.
 */
rule: string, 
/**
 * Why; safe to show.
 */
reason: string, };

/**
 * What a download would be (`POST /api/docker/image/measure`).
 */
export type ImageSize = { 
/**
 * Name and tag.
 */
name: string, 
/**
 * What exactly would be downloaded: `sha256:…` of its manifest.
 */
digest: string, 
/**
 * The compressed download in bytes; nothing where the registry doesn't say.
 */
bytes: number | null, };

/**
 * Why a text is not put on the input line.
 */
export type InsertRefusal = "control_characters" | "several_lines" | "program_runs" | "too_long" | "no_safe_way" | "ended" | "masked";

/**
 * The body of `POST /api/terminals/{id}/insert`. The gateway takes the text from its own
 * record: a page that was tricked can't send other text.
 */
export type InsertRequest = { 
/**
 * Whose text goes on the input line.
 */
from: InsertSource, 
/**
 * Whether the person has seen the preview.
 */
confirmed: boolean, };

/**
 * What became of "Run in terminal".
 */
export type InsertResult = { "result": "inserted" } | { "result": "preview", 
/**
 * The text.
 */
command: ShownText, } | { "result": "refused", 
/**
 * A name that stays the same.
 */
id: InsertRefusal, 
/**
 * Why, and what to do instead; safe to show.
 */
text: string, 
/**
 * For copying by hand.
 */
command: ShownText, };

/**
 * Where the text is that goes on the input line.
 */
export type InsertSource = { "entry": EntryId } | { "code": { 
/**
 * The answer.
 */
said: SaidId, 
/**
 * Its place in the answer's blocks.
 */
block: number, } };

/**
 * A page of entries, newest first.
 */
export type JournalPage = { 
/**
 * The entries.
 */
entries: Array<Entry>, 
/**
 * What to give as `before` for the next page; nothing at the end.
 */
next: number | null, };

/**
 * The query of `GET /api/journal`.
 */
export type JournalQuery = { 
/**
 * Words that have to be there, in command, reasons or names.
 */
text: string | null, 
/**
 * Only this board's.
 */
board: BoardId | null, 
/**
 * Only with this verdict.
 */
verdict: Verdict | null, 
/**
 * Only decided on this word.
 */
source: DecisionSource | null, 
/**
 * Only entries older than this number.
 */
before: number | null, 
/**
 * How many at most (1 to 200; 50 where not given).
 */
limit: number | null, };

/**
 * What the layers say of one command.
 */
export type Judged = { 
/**
 * The worst of the findings.
 */
verdict: Verdict, 
/**
 * The command, ready to show.
 */
command: ShownText, 
/**
 * Why.
 */
findings: Array<Finding>, 
/**
 * Every program it would start.
 */
programs: Array<ProgramRow>, 
/**
 * The kinds that would be asked for.
 */
kinds: Array<string>, };

/**
 * A language of the page.
 */
export type Language = "auto" | "en" | "es";

/**
 * The layers of the chain, in its order.
 */
export type Layer = "tools" | "filter" | "grants" | "sandbox";

/**
 * A piece of work with a folder of its own.
 */
export type Loop = { 
/**
 * Its id.
 */
id: LoopId, 
/**
 * The loop whose folder it lies in.
 */
parent: LoopId | null, 
/**
 * Its name; safe to show.
 */
name: string, 
/**
 * Its folder, relative to the project; safe to show.
 */
folder: string, 
/**
 * Its bubbles.
 */
bubbles: Array<Bubble>, };

/**
 * One loop of a board.
 */
export type LoopId = string;

/**
 * What a command reaches of the network.
 */
export type NetworkReach = "none" | "registries_only" | "open";

/**
 * The network of commands in the sandbox.
 */
export type NetworkSetting = "off" | "registries_only";

/**
 * An event with its number. A gap in the numbers can't happen: a window that falls behind
 * gets [`Event::Resync`] and loads the state anew.
 */
export type Numbered = { 
/**
 * Its number; grows by one.
 */
number: number, } & ({ "type": "welcome", 
/**
 * The window's id, for its answers.
 */
window: WindowId, 
/**
 * How often a `beat` has to come, in milliseconds.
 */
beat_ms: number, 
/**
 * The events after this number come over this connection.
 */
event: number, } | { "type": "board_changed", 
/**
 * How it is now.
 */
board: Board, } | { "type": "board_closed", 
/**
 * Which.
 */
board: BoardId, } | { "type": "ask", 
/**
 * The card.
 */
card: AskCard, } | { "type": "ask_settled", 
/**
 * Which.
 */
ask: AskId, 
/**
 * How.
 */
state: AskState, } | { "type": "entry", 
/**
 * How it is now.
 */
entry: Entry, } | { "type": "said", 
/**
 * What.
 */
said: Said, } | { "type": "output", 
/**
 * The cleaned text.
 */
chunk: OutputChunk, } | { "type": "settings_changed", 
/**
 * How they are now.
 */
settings: Settings, } | { "type": "readiness_changed", 
/**
 * What each backend says.
 */
readiness: Array<Readiness>, } | { "type": "docker_image_changed", 
/**
 * How it stands now.
 */
image: DockerImage, } | { "type": "terminals_changed", 
/**
 * All that are left.
 */
terminals: Array<Terminal>, } | { "type": "alarm", 
/**
 * When.
 */
at: number, 
/**
 * What happened; safe to show.
 */
text: string, } | { "type": "resync" } | { "type": "goodbye" });

/**
 * The body of `POST /api/boards`.
 */
export type OpenBoard = { 
/**
 * The project's folder, absolute.
 */
project: string, };

/**
 * The body of `POST /api/terminals`.
 */
export type OpenTerminal = { 
/**
 * A name of [`super::Snapshot::shells`].
 */
shell: string, 
/**
 * The folder to start in, absolute; nothing: the person's home.
 */
folder: string | null, 
/**
 * Columns.
 */
columns: number, 
/**
 * Rows.
 */
rows: number, };

/**
 * Cleaned output of a running command, as it comes.
 */
export type OutputChunk = { 
/**
 * The run.
 */
entry: EntryId, 
/**
 * The stream.
 */
stream: Stream, 
/**
 * Where the raw bytes begin in that stream.
 */
offset: number, 
/**
 * Raw bytes that were left out before this chunk, because they came faster than
 * windows can take; `GET /api/entries/{id}/output` has them.
 */
skipped: number, 
/**
 * The text.
 */
pieces: Array<Styled>, };

/**
 * The query of `GET /api/entries/{id}/output`.
 */
export type OutputQuery = { 
/**
 * The stream.
 */
stream: Stream, 
/**
 * The first byte.
 */
from: number, 
/**
 * How many bytes at most (64 KiB at most, also where not given).
 */
length: number | null, };

/**
 * A range of a run's kept output: the answer of `GET /api/entries/{id}/output`.
 */
export type OutputRange = { 
/**
 * The run.
 */
entry: EntryId, 
/**
 * The stream.
 */
stream: Stream, 
/**
 * Where the range begins in the stream.
 */
from: number, 
/**
 * Where it ends.
 */
to: number, 
/**
 * How long the kept stream is by now.
 */
total: number, 
/**
 * The text.
 */
pieces: Array<Styled>, };

/**
 * The answer of `POST /api/session` and, for a page loaded again, of `POST /api/page`.
 * The cookie comes beside it.
 */
export type PageKey = { 
/**
 * Goes into the header `x-cerco-page` of every request that follows.
 */
key: string, 
/**
 * All the page needs to draw itself, so that it waits for one answer and not for three.
 */
state: Snapshot, };

/**
 * A piece of text that may be shown as it is: hidden characters are already replaced by
 * visible marks (`␛`, `⟦U+202E⟧`, `⏎`).
 */
export type Piece = { 
/**
 * What to show.
 */
text: string, 
/**
 * Whether it stands for a character that would not be seen.
 */
hidden?: boolean, 
/**
 * The findings whose part this belongs to, by their place in `findings`.
 */
findings?: Array<number>, };

/**
 * Every refusal and failure of the API.
 */
export type Problem = { 
/**
 * A name that stays the same (`wrong_host`, `not_found`), for tests and translations.
 */
id: string, 
/**
 * What is wrong and what to do; safe to show.
 */
text: string, };

/**
 * One program the command would start: a row of the card's parts list.
 */
export type ProgramRow = { 
/**
 * The program with its arguments; safe to show.
 */
text: string, 
/**
 * The worst verdict of the findings inside its part.
 */
verdict: Verdict, 
/**
 * The part of the text that starts it.
 */
part: Span, };

/**
 * Whether a backend can be used here and now.
 */
export type Readiness = { 
/**
 * The backend.
 */
backend: Backend, 
/**
 * How it stands.
 */
state: ReadinessState, 
/**
 * What was found (`bubblewrap 0.9.0`); safe to show.
 */
found: string | null, 
/**
 * The one step that fixes it.
 */
step: Step | null, };

/**
 * How a backend stands.
 */
export type ReadinessState = "ready" | "missing" | "blocked" | "unknown" | "unsupported";

/**
 * A named, fixed set of tools.
 */
export type Role = { 
/**
 * Its name; safe to show.
 */
name: string, 
/**
 * Its tools.
 */
tools: Array<Tool>, 
/**
 * Whether its tools are fixed by the product.
 */
built_in: boolean, };

/**
 * What is wrong with a file of rules.
 */
export type RuleError = { 
/**
 * The line, from 1; nothing where the file can't be read at all.
 */
line: number | null, 
/**
 * What is wrong and what would be right; safe to show.
 */
text: string, };

/**
 * One file with custom rules: an element of the answer of `GET /api/rules`.
 */
export type RuleFile = { 
/**
 * Where it is; safe to show.
 */
path: string, 
/**
 * Whose it is.
 */
level: RuleLevel, 
/**
 * Its rules; none where it has errors.
 */
rules: Array<CustomRule>, 
/**
 * Kinds that it allows without an ask; safe to show.
 */
kinds: Array<string>, 
/**
 * Hosts that it adds; safe to show.
 */
hosts: Array<string>, 
/**
 * What is wrong with it. Commands are refused until it is right.
 */
errors: Array<RuleError>, };

/**
 * Whose file of rules it is.
 */
export type RuleLevel = "user" | "project";

/**
 * How a run ended.
 */
export type RunEnding = { "how": "exit", "code": number } | { "how": "signal", "code": number } | { "how": "timed_out" } | { "how": "cancelled" } | { "how": "not_started", "code": number } | { "how": "failed" };

/**
 * How the run of an entry stands.
 */
export type RunState = { "state": "not_run" } | { "state": "waiting" } | { "state": "running", 
/**
 * Since when.
 */
since: number, } | { "state": "ended", 
/**
 * How.
 */
ending: RunEnding, 
/**
 * From program start to end, in milliseconds.
 */
duration_ms: number, 
/**
 * Bytes written to the two streams.
 */
output_bytes: number, 
/**
 * Starts that the guard refused.
 */
guard_refusals: Array<GuardRefused>, } | { "state": "interrupted" };

/**
 * A chat answer of a bubble. It is only text: it decides nothing and nothing in it acts.
 */
export type Said = { 
/**
 * Its id.
 */
id: SaidId, 
/**
 * When it came.
 */
time: number, 
/**
 * The board.
 */
board: BoardId, 
/**
 * The loop's name; safe to show.
 */
loop_name: string, 
/**
 * The bubble's name; safe to show.
 */
bubble: string, 
/**
 * Its role's name; safe to show.
 */
role: string, 
/**
 * The host, as it calls itself; safe to show.
 */
host: string, 
/**
 * Its text, in order; code blocks stand alone.
 */
blocks: Array<SaidBlock>, };

/**
 * A part of a chat answer.
 */
export type SaidBlock = { 
/**
 * Whether it is a code block, which "Run in terminal" takes.
 */
is_code: boolean, 
/**
 * The text, secrets masked.
 */
pieces: Array<Styled>, };

/**
 * One chat answer of a bubble.
 */
export type SaidId = string;

/**
 * How the sandbox would hold the command.
 */
export type SandboxLine = { 
/**
 * Whether it would run in the sandbox.
 */
on: boolean, 
/**
 * The backend that would hold it, where it is on.
 */
backend: string | null, 
/**
 * What it reaches of the network.
 */
network: NetworkReach, };

/**
 * The answer of `POST /api/self-test`.
 */
export type SelfTest = { 
/**
 * Whether everything that was tried holds, and something was tried.
 */
holds: boolean, 
/**
 * Each thing that must hold; empty where nothing could be tried.
 */
outcomes: Array<SelfTestOutcome>, 
/**
 * Why nothing could be tried, with the one step that changes it.
 */
not_ready: Readiness | null, };

/**
 * One thing that must hold, and whether it does.
 */
export type SelfTestOutcome = { 
/**
 * A name that stays the same, for tests and translations: `files.project`.
 */
id: string, 
/**
 * The protection it belongs to: `files`, `secrets`, `network`, `processes`, `kernel`,
 * `limits`, `git`, or `works` for ordinary jobs.
 */
protection: string, 
/**
 * What must hold, as a sentence; safe to show.
 */
what: string, 
/**
 * Whether it does.
 */
state: SelfTestState, 
/**
 * What was found where it doesn't; empty where it does; safe to show.
 */
found: string, };

/**
 * Whether a thing holds.
 */
export type SelfTestState = "holds" | "broken" | "unknown";

/**
 * The body of `PUT /api/boards/{id}/full-auto`.
 */
export type SetFullAuto = { 
/**
 * On or off.
 */
on: boolean, 
/**
 * To switch it on: the board's name, as the person typed it.
 */
typed: string | null, 
/**
 * The window.
 */
window: WindowId, };

/**
 * The body of `PUT /api/boards/{id}/hide-secrets`.
 */
export type SetHideSecrets = { 
/**
 * Whether the project's secret-looking files are hidden from the board's commands in the
 * sandbox; null: as the settings say.
 */
hide_secrets: boolean | null, };

/**
 * The body of `PUT /api/boards/{id}/network`.
 */
export type SetNetwork = { 
/**
 * The network of the board's commands in the sandbox; null: as the settings say.
 */
network: NetworkSetting | null, };

/**
 * What a person can set: the answer of `GET` and `PUT /api/settings`.
 */
export type Settings = { 
/**
 * "Sandbox agent commands".
 */
sandbox: boolean, 
/**
 * The backend that holds them.
 */
backend: Backend, 
/**
 * Whether commands in the sandbox reach package registries.
 */
network: NetworkSetting, 
/**
 * Whether the project's secret-looking files are hidden inside the sandbox, where a
 * board says nothing else.
 */
hide_secrets: boolean, 
/**
 * How long an ask waits, in seconds (10 to 3600).
 */
ask_seconds: number, 
/**
 * How long journal entries are kept, in days; 0 keeps them.
 */
retention_days: number, 
/**
 * The page's language.
 */
language: Language, };

/**
 * The body of `PUT /api/settings`: what is to change. What isn't named stays as it is, so
 * that two windows that change different things both get their way.
 */
export type SettingsChange = { 
/**
 * "Sandbox agent commands".
 */
sandbox?: boolean, 
/**
 * The backend that holds them.
 */
backend?: Backend, 
/**
 * Whether commands in the sandbox reach package registries.
 */
network?: NetworkSetting, 
/**
 * Whether secret-looking files are hidden inside the sandbox.
 */
hide_secrets?: boolean, 
/**
 * How long an ask waits, in seconds (10 to 3600).
 */
ask_seconds?: number, 
/**
 * How long journal entries are kept, in days; 0 keeps them.
 */
retention_days?: number, 
/**
 * The page's language.
 */
language?: Language, };

/**
 * A whole text in pieces, in order.
 */
export type ShownText = { 
/**
 * The pieces.
 */
pieces: Array<Piece>, 
/**
 * Whether any piece is a mark for a hidden character (the card wears a badge then).
 */
has_hidden: boolean, 
/**
 * How many bytes of the text were left out at the end (0: none).
 */
left_out: number, };

/**
 * The body of `POST /api/session`: the one-time code from the address's fragment.
 */
export type SignIn = { 
/**
 * The code. It works once, within 60 seconds.
 */
code: string, };

/**
 * All a page needs to draw itself: the answer of `GET /api/state`, and part of the answer
 * to signing in.
 */
export type Snapshot = { 
/**
 * The version of these types.
 */
schema_version: number, 
/**
 * The version of Cerco.
 */
version: string, 
/**
 * The events after this number complete the snapshot. Where [`super::Event::Welcome`]
 * names the same number, nothing happened in between.
 */
event: number, 
/**
 * The clock of the gateway.
 */
now: number, 
/**
 * Since when it runs; grants never survive a start.
 */
started_at: number, 
/**
 * The boards, newest opened first.
 */
boards: Array<Board>, 
/**
 * Open asks of all boards, oldest first.
 */
asks: Array<AskCard>, 
/**
 * The newest entries of all boards, newest first.
 */
log: JournalPage, 
/**
 * The newest chat answers of all boards, newest first.
 */
said: Array<Said>, 
/**
 * The settings.
 */
settings: Settings, 
/**
 * What each backend says.
 */
readiness: Array<Readiness>, 
/**
 * The roles that exist.
 */
roles: Array<Role>, 
/**
 * The person's terminals.
 */
terminals: Array<Terminal>, 
/**
 * The shells a terminal can be opened with; the first is the person's own.
 */
shells: Array<string>, };

/**
 * A span of the command's text in bytes: `start` inclusive, `end` exclusive.
 */
export type Span = { 
/**
 * First byte.
 */
start: number, 
/**
 * One past the last byte.
 */
end: number, };

/**
 * How the gateway stands.
 */
export type Status = { 
/**
 * The version of these types.
 */
schema_version: number, 
/**
 * The version of Cerco.
 */
version: string, 
/**
 * Its process.
 */
pid: number, 
/**
 * The page's address, without any code.
 */
address: string, 
/**
 * Since when it runs.
 */
started_at: number, 
/**
 * Windows that are present.
 */
windows: number, 
/**
 * Boards.
 */
boards: number, 
/**
 * Open asks.
 */
asks: number, 
/**
 * Running commands.
 */
runs: number, };

/**
 * The one step that makes a backend ready.
 */
export type Step = { 
/**
 * A name that stays the same, for tests and translations.
 */
id: string, 
/**
 * What to do; safe to show.
 */
text: string, 
/**
 * The exact command to copy. Cerco never runs it.
 */
command: string | null, };

/**
 * Which of the two streams.
 */
export type Stream = "stdout" | "stderr";

/**
 * A run of characters in one style; safe to show as text.
 */
export type Styled = { 
/**
 * What to show. Control and direction characters are visible marks already.
 */
text: string, 
/**
 * Colour of the letters: `0`–`255` of the terminal's palette, or `#rrggbb`.
 */
fg?: string | null, 
/**
 * Colour behind them.
 */
bg?: string | null, 
/**
 * Bold 1, dim 2, italic 4, underlined 8, inverse 16, struck 32, and in a chat answer
 * code 64; a sum.
 */
look?: number, 
/**
 * Whether it stands for a character that would not be seen.
 */
hidden?: boolean, };

/**
 * One tab of the panel.
 */
export type Terminal = { 
/**
 * Its id.
 */
id: TerminalId, 
/**
 * The shell's name; safe to show.
 */
shell: string, 
/**
 * Columns.
 */
columns: number, 
/**
 * Rows.
 */
rows: number, 
/**
 * How its shell ended; nothing while it runs.
 */
ended: number | null, };

/**
 * What the gateway says beside the output, as text messages.
 */
export type TerminalEvent = { "type": "scrollback", 
/**
 * How many bytes of it.
 */
bytes: number, } | { "type": "ended", 
/**
 * Its status.
 */
code: number, };

/**
 * One terminal of the panel.
 */
export type TerminalId = string;

/**
 * What the page says over `/api/terminals/{id}/io`. Output comes back as binary messages.
 */
export type TerminalMessage = { "type": "hello", 
/**
 * The key.
 */
key: string, } | { "type": "input", 
/**
 * The text.
 */
data: string, } | { "type": "resize", 
/**
 * Columns.
 */
columns: number, 
/**
 * Rows.
 */
rows: number, } | { "type": "drawn", 
/**
 * Bytes.
 */
bytes: number, };

/**
 * The tools of SPEC §2.
 */
export type Tool = "read_files" | "write_files" | "run_commands";

/**
 * The three verdicts, in order of strictness.
 */
export type Verdict = "allowed" | "asked" | "refused";

/**
 * One window: a page's live connection, or a terminal that answers.
 */
export type WindowId = string;

/**
 * What a window says over the same connection.
 */
export type WindowMessage = { "type": "hello", 
/**
 * The key from `POST /api/session` or `POST /api/page`.
 */
key: string, } | { "type": "beat" } | { "type": "shown", 
/**
 * Which.
 */
asks: Array<AskId>, } | { "type": "watch", 
/**
 * Which.
 */
entries: Array<EntryId>, };
