// Generated from schemas/*.schema.json by `npm run gen`. Do not edit.

/**
 * A one-based position.
 */
export type Ordinal = number
/**
 * Lower-case hexadecimal SHA-256.
 */
export type Sha256 = string
/**
 * UTC time with milliseconds, RFC 3339.
 */
export type Time = string
/**
 * Text for people: no control characters, no line ends, nothing that turns the direction of writing.
 */
export type PrintableNote = string
/**
 * A short name from an open vocabulary: adapter, arm, endpoint, category, flag.
 */
export type Label = string
/**
 * Restricted ASCII id of a question or a history; segments joined by '/'.
 */
export type Id = string
/**
 * How a reader call ended. All five stay in the denominator.
 */
export type AnswerStatus = ("answered" | "empty" | "output-limit" | "interrupted" | "failed")
/**
 * A non-negative integer that every JSON reader holds exactly.
 */
export type Count = number
/**
 * A measured amount; null of nothing.
 */
export type Figure = (number | null)
/**
 * A number of either sign; null where it is undefined.
 */
export type Estimate = (number | null)
/**
 * Of 0/1 scores: right in both, in neither, in one only; null of other scores. Gains are first_only, losses second_only.
 */
export type PairedOutcomes = ({
both: Count
neither: Count
first_only: Count
second_only: Count
} | null)
/**
 * A part between 0 and 1; null of nothing.
 */
export type Share = (Score | null)
/**
 * A score from 0 to 1.
 */
export type Score = number
/**
 * A text that belongs to a question: question, date, reference, rubric.N, S (a session's date), S.T (a turn) or S.T.N (a turn's caption); numbers from one.
 */
export type TextName = string
/**
 * A text as pieces in order: literal text, or bytes [text, start, end] of one of the question's texts in the dataset, in another form if one is named.
 */
export type Pieces = (string | [TextName, Count, Count] | [TextName, Count, Count, ("lower" | "upper" | "nfc" | "nfd" | "nfkc" | "lower-nfc" | "lower-nfd" | "lower-nfkc" | "upper-nfc" | "upper-nfd" | "upper-nfkc")])[]
/**
 * Name of a lane: lower-case ASCII letters, digits, dots and hyphens.
 */
export type LaneId = string
/**
 * Path inside a lane: ASCII, '/'-separated, no empty, '.' or '..' part, at most 100 bytes.
 */
export type LanePath = string
/**
 * Text built from literals and named slots, joined in order; a slot's value is never searched for slots again.
 */
export type Template = (string | {
slot: string
})[]
/**
 * Which of a lane's three Merkle trees.
 */
export type TreeName = ("reader" | "evaluator" | "item")
/**
 * What one check found.
 */
export type CheckReport = ({
id: Label
title: string
outcome: "passed"
examined: Ordinal
} | {
id: Label
title: string
outcome: "failed"
examined: Count
findings_total: Ordinal
/**
 * @minItems 1
 */
findings: {
code: string
at: string
question_id?: Id
expected?: string
found?: string
message: string
}[]
} | {
id: Label
title: string
outcome: ("not-applicable" | "not-run" | "not-asked")
why: string
})
/**
 * What a proof of one question holds beside index, path and checkpoint (the extra line of a c2sp.org/tlog-proof, canonical JSON): the leaf, and for the item tree the two leaves that it names.
 */
export type Proof = ({
schema: "sealane-proof/1"
tree: "reader"
leaf: ReaderLeaf
} | {
schema: "sealane-proof/1"
tree: "evaluator"
leaf: EvaluatorLeaf
} | {
schema: "sealane-proof/1"
tree: "item"
leaf: ItemLeaf
reader_leaf: ReaderLeaf
evaluator_leaf: EvaluatorLeaf
})

export interface Documents {
"amendment-record": AmendmentRecord
"answer-record": AnswerRecord
"body-record": BodyRecord
"claims-report": ClaimsReport
claims: Claims
comparison: Comparison
dataset: OwnDataset
"detached-question": DetachedQuestion
"detached-receipt": DetachedReceipt
envelope: Envelope
error: ErrorDocument
fidelity: Fidelity
"grade-record": GradeRecord
manifest: Manifest
"offered-packet": OfferedPacket
"packet-record": PacketRecord
"population-record": PopulationRecord
"preparation-protocol": PreparationProtocol
"proof-report": ProofReport
proof: Proof
"reader-protocol": ReaderProtocol
"receipt-record": ReceiptRecord
"reference-record": ReferenceRecord
report: Report
"request-record": RequestRecord
results: Results
retrieval: Retrieval
run: Run
state: State
statement: Statement
"token-f1-protocol": TokenF1Protocol
trust: TrustFile
"turn-record": TurnRecord
vectors: Vectors
why: Why
}
/**
 * What changed after the freeze, and why (amendments.jsonl); each record names the digest of the one before.
 */
export interface AmendmentRecord {
number: Ordinal
previous_sha256: (Sha256 | null)
time: Time
reason: PrintableNote
decision: Label
question_id?: Id
}
/**
 * What the receipt says the reader answered (answers.jsonl).
 */
export interface AnswerRecord {
question_id: Id
status: AnswerStatus
answer?: string
answer_sha256?: Sha256
receipt_sha256: Sha256
}
/**
 * The exact request text of one question (bodies/requests.jsonl).
 */
export interface BodyRecord {
question_id: Id
body: string
}
/**
 * What became of each printed figure when it was recomputed (claims check --json).
 */
export interface ClaimsReport {
schema: "sealane-claims-report/1"
paper: string
confirmed: Count
contradicted: Count
not_checkable: Count
claims: CheckedClaim[]
exit_code: number
}
/**
 * One claim with each of its figures.
 */
export interface CheckedClaim {
id: Id
where: (string | null)
kind: Label
outcome: ("confirmed" | "contradicted" | "not-checkable")
/**
 * How it is recomputed; null for a kind that is not known.
 */
method: (string | null)
figures: CheckedFigure[]
/**
 * Why it cannot be checked; null when it can.
 */
reason: (("unknown-kind" | "given-incomplete" | "given-invalid" | "beyond-limit" | "nothing-printed" | "not-recomputed" | "lane-missing" | "rows-missing" | "scores-not-binary" | "populations-differ" | "undefined") | null)
why: (string | null)
}
export interface CheckedFigure {
field: string
printed: string
/**
 * To the digits that are printed, rounded half to even.
 */
recomputed: string
/**
 * Unrounded, where it is a number.
 */
value: (number | null)
confirmed: boolean
/**
 * By what the printed figure is the recomputed one; null when it is not. Nearest: half-up and half-even agree. Given-rounded: within what the rounding of given figures leaves open.
 */
rule: (("same" | "nearest" | "half-up" | "half-even" | "given-rounded" | "inequality") | null)
}
/**
 * The figures that a paper prints, each with what it is made of, for `sealane claims check`. docs/statistics.md lists the kinds with what each is given and prints.
 */
export interface Claims {
schema?: "sealane-claims/1"
/**
 * A name of the paper or lane.
 */
paper: string
/**
 * @minItems 1
 */
claims: {
id: Id
paper?: string
/**
 * The table or section that prints it.
 */
where?: string
kind: Label
/**
 * What the paper itself supplies: counts as integers; figures that it prints as strings, with their digits.
 */
given?: {
[k: string]: unknown
}
/**
 * The rows that the rest of `given` is counted from, in place of typed counts: of one lane, or of two that are paired by question.
 */
from?: (LaneRows | {
first: LaneRows
second: LaneRows
})
/**
 * What it prints: figures as strings with the digits that are printed, an inequality as '<0.001', verdicts as words or booleans.
 */
printed: {
[k: string]: unknown
}
}[]
}
/**
 * Rows of a lane: all questions under one endpoint, or those of a category.
 */
export interface LaneRows {
/**
 * The lane's id, or as the run's folder is named.
 */
lane: string
endpoint: Label
category?: Label
}
/**
 * Two lanes paired by question under one endpoint; differences are the first less the second (compare --json).
 */
export interface Comparison {
schema: "sealane-comparison/1"
first: string
second: string
endpoint: Label
dataset: string
questions: Count
/**
 * Questions without a grade, which count with nothing.
 */
ungraded: {
first: Count
second: Count
}
cluster: "history"
clusters: Count
/**
 * Whether every score is 0 or 1.
 */
binary: boolean
/**
 * Endpoint, population, methods, level and seed in words.
 */
caption: string
means: PairedMeans
outcomes: PairedOutcomes
tests: {
id: Label
method: string
statistic: Estimate
n: Count
p: Share
/**
 * Why the test was not made.
 */
why: (string | null)
}[]
intervals: {
id: Label
method: string
level: number
lower: Estimate
upper: Estimate
seed: (string | null)
draws: Estimate
why: (string | null)
}[]
/**
 * Of the first against the second; null without a margin.
 */
noninferiority: ({
method: string
/**
 * As a share of one.
 */
margin: number
/**
 * One-sided.
 */
level: number
lower: Estimate
verdict: ("non-inferior" | "not shown" | "undefined")
} | null)
kappa: Estimate
spearman: Estimate
/**
 * Descriptive: nothing is tested by category, so no family of tests stands behind it.
 */
categories: {
category: Label
questions: Count
means: PairedMeans
outcomes: PairedOutcomes
}[]
}
/**
 * Mean scores over the same questions; null over none.
 */
export interface PairedMeans {
first: Figure
second: Figure
difference: Estimate
}
/**
 * sealane's own dataset format: bring your own histories and questions.
 */
export interface OwnDataset {
schema: "sealane-dataset/1"
name: string
licence: string
/**
 * @minItems 1
 */
histories: {
history_id: Id
/**
 * @minItems 1
 */
sessions: {
/**
 * When the session took place, as a reader should see it. Written as YYYY-MM-DD or YYYY-MM-DD HH:MM, arms can also sort by it. Optional.
 */
date?: string
/**
 * @minItems 1
 */
turns: {
speaker: string
text: string
/**
 * Descriptions of images shared in the turn.
 */
captions?: string[]
}[]
}[]
}[]
/**
 * @minItems 1
 */
questions: {
question_id: Id
history_id: Id
category: Label
question: string
question_date?: string
flags?: Label[]
/**
 * The gold answer; null when the history does not hold one.
 */
reference: (string | number | null)
/**
 * [session, turn] pairs, one-based, that support the answer.
 */
evidence?: [Ordinal, Ordinal][]
}[]
}
/**
 * A question of a detached lane without its text (detached/population.jsonl).
 */
export interface DetachedQuestion {
question_id: Id
ordinal: Count
history_id: Id
category: Label
flags: Label[]
record_sha256: Sha256
}
/**
 * A receipt of a detached lane, its texts as recipes (detached/receipts.jsonl).
 */
export interface DetachedReceipt {
question_id: Id
/**
 * The receipt; where there is a recipe, response.data or error is the empty text.
 */
record: {
[k: string]: unknown
}
data?: Pieces
/**
 * The response is JSON: copies in it are escaped as strings of canonical JSON are.
 */
data_escaped?: true
error?: Pieces
}
/**
 * DSSE envelope (manifest.dsse.json).
 */
export interface Envelope {
payload: string
/**
 * Signed with the payload. application/vnd.in-toto+json, or the check of signatures says what it is instead.
 */
payloadType: string
/**
 * @minItems 1
 * @maxItems 64
 */
signatures: {
keyid: string
sig: string
}[]
}
/**
 * What any command prints with --json when it fails.
 */
export interface ErrorDocument {
schema: "sealane-error/1"
exit_code: number
error: {
code: string
message: string
at?: string
expected?: string
found?: string
next?: string
}
}
/**
 * Packets of another implementation held against a lane's, by digest (what `sealane fidelity --json` prints). `here` is the lane, `there` the file given.
 */
export interface Fidelity {
schema: "sealane-fidelity/1"
tool: Tool
lane: {
lane_id: LaneId
lane_version: Ordinal
manifest_sha256: Sha256
}
exit_code: (0 | 7)
questions: Count
packets: Count
equal: Count
tokens_differ: Count
missing_total: Count
/**
 * Questions of the lane that the file has no packet of, the first of them.
 */
missing: Id[]
extra_total: Count
/**
 * Questions that the lane does not ask, the first of them.
 */
extra: Id[]
different_total: Count
/**
 * Questions whose evidence differs, the first of them in the order of the file.
 */
different: {
question_id: Id
line: Ordinal
evidence_sha256: {
here: Sha256
there: Sha256
}
tokens: {
here: Count
/**
 * null: the line does not say.
 */
there: (Count | null)
}
/**
 * null: the line has no spans.
 */
spans: ({
here: Count
there: Count
/**
 * null: the same spans in the same order, so that the texts are rendered in other ways.
 */
first: ({
at: Ordinal
here: ([Ordinal, Ordinal, Count, Count] | null)
there: ([Ordinal, Ordinal, Count, Count] | null)
} | null)
/**
 * Spans that the lane's packet has and the other has not, the first of them.
 */
only_here: [Ordinal, Ordinal, Count, Count][]
only_here_total: Count
/**
 * The other way round.
 */
only_there: [Ordinal, Ordinal, Count, Count][]
only_there_total: Count
} | null)
/**
 * null: the two texts are not both to be had.
 */
evidence: ({
at_byte: Count
/**
 * What both have right before it.
 */
before: string
/**
 * How the lane's text goes on from the character that differs.
 */
here: string
there: string
/**
 * Where the lane's text was had from.
 */
from: ("bodies" | "dataset")
} | null)
}[]
}
export interface Tool {
name: "sealane"
version: string
}
/**
 * One endpoint's verdict on one answer (evaluator/<endpoint>/grades.jsonl).
 */
export interface GradeRecord {
question_id: Id
score: Score
/**
 * rule: computed from answer and reference; failure-zero: no gradable answer, counted as 0.
 */
basis: ("rule" | "failure-zero")
rule: Label
answer_sha256: (Sha256 | null)
reference_sha256: Sha256
protocol_sha256: Sha256
}
/**
 * What a lane is (manifest.json).
 */
export interface Manifest {
schema: "sealane-manifest/1"
lane_id: LaneId
lane_version: Ordinal
previous_manifest_sha256: (Sha256 | null)
sealed: Time
tool: Tool
dataset: DatasetIdentity
arm: Label
population: {
count: Count
ids_sha256: Sha256
}
trees: {
reader: Tree
evaluator: Tree
item: Tree
}
protocols: {
preparation: Sha256
reader: Sha256
endpoints: {
endpoint: Label
sha256: Sha256
}[]
}
model: {
name: string
digest: (Sha256 | null)
}
tokenizer: {
id: Label
sha256: Sha256
}
/**
 * Identity of the embedding, as the preparation protocol has it; null when the arm uses none.
 */
embedding: (Embedding | null)
results: {
endpoint: Label
questions: Count
score_total: number
score_mean: (Score | null)
}[]
/**
 * @minItems 1
 */
modes: ("reference-verification" | "fresh-reader-replay" | "exact-grade-reuse" | "fresh-judging")[]
licence_notes: string[]
/**
 * Of a detached lane: the lane that it was made from, whose manifest and envelope stand in detached/, and what of it was left out.
 */
detached?: {
manifest_sha256: Sha256
envelope_sha256: Sha256
words_max: Ordinal
/**
 * The files of the whole lane that do not stand here, sorted by path bytes.
 */
files: FileEntry[]
}
/**
 * Every file of the lane but manifest.json and manifest.dsse.json, sorted by path bytes.
 */
files: FileEntry[]
}
/**
 * The benchmark file, named by its SHA-256.
 */
export interface DatasetIdentity {
/**
 * The dataset's name, for people. The digest is the identity.
 */
name: string
adapter: Label
sha256: Sha256
bytes: Count
/**
 * True when the digest is the one the adapter knows as the published file.
 */
pinned: boolean
licence: string
}
/**
 * RFC 6962 Merkle tree over the population: number of leaves and root.
 */
export interface Tree {
size: Count
root: Sha256
}
/**
 * What turned text into vectors, and how it was used.
 */
export interface Embedding {
id: Label
/**
 * The model's name; null when the embedder has none.
 */
model: (string | null)
/**
 * The model's digest; null when it has no model or the server names no digest.
 */
digest: (Sha256 | null)
dimensions: Count
document_prefix: string
query_prefix: string
/**
 * SHA-256 of the vector file that preparation read; null when the vectors follow from the history.
 */
vectors_sha256: (Sha256 | null)
/**
 * Constants of the embedder.
 */
parameters: {
[k: string]: (number | string | boolean)
}
}
export interface FileEntry {
path: LanePath
size: Count
sha256: Sha256
}
/**
 * A packet that another implementation made of one question: a line of what `sealane fidelity` is given. What else stands in a line is not looked at.
 */
export interface OfferedPacket {
question_id: Id
evidence_sha256?: Sha256
/**
 * The rendered evidence.
 */
evidence?: string
tokens?: Count
/**
 * @maxItems 1000000
 */
spans?: [Ordinal, Ordinal, Count, Count][]
[k: string]: unknown
}
/**
 * The evidence one question gets (packets.jsonl).
 */
export interface PacketRecord {
question_id: Id
evidence_sha256: Sha256
evidence_bytes: Count
tokens: Count
candidates: Count
skipped: Count
/**
 * The reader temperature that the preparation protocol's rule gives this question; absent without a rule.
 */
temperature?: number
/**
 * Protected beginnings of the packet, the shorter first; absent when the arm has none.
 */
prefixes?: {
name: Label
spans: Count
bytes: Count
sha256: Sha256
}[]
/**
 * @maxItems 1000000
 */
spans: [Ordinal, Ordinal, Count, Count][]
}
/**
 * One question of the declared population (population.jsonl). The denominator, always.
 */
export interface PopulationRecord {
question_id: Id
ordinal: Count
history_id: Id
category: Label
/**
 * The question as the dataset gives it, never normalised.
 */
question: string
/**
 * The date the question is asked at, as the dataset gives it; absent when it gives none.
 */
question_date?: string
flags: Label[]
}
/**
 * Every constant and template that governed how packets were made (protocols/preparation.json).
 */
export interface PreparationProtocol {
schema: "sealane-preparation/1"
dataset: DatasetIdentity
population: {
questions: Count
included: Count
excluded: {
reason: Label
category: Label
count: Count
}[]
histories: Count
sessions: Count
turns: Count
}
segmenter: {
id: Label
bytes_max: Count
}
arm: {
id: Label
parameters: {
[k: string]: (number | string | boolean)
}
}
embedding?: Embedding
renderer: {
id: Label
session_header: Template
turn_line: Template
caption_line: Template
date_missing: string
/**
 * Where a session's header stands: wherever the session changes (also when absent), or before its first span alone.
 */
header_when?: ("session-changes" | "session-first")
}
tokenizer: {
id: Label
package: string
sha256: Sha256
}
admission: Label
/**
 * Spans of a finished packet stand in order of session, turn and offset; when absent, in the order in which they entered.
 */
span_order?: "history"
/**
 * Names of the protected beginnings that every packet declares, the shorter first; absent when the arm has none.
 * 
 * @minItems 1
 */
protected?: Label[]
/**
 * The rule by which each packet names a reader temperature; absent when packets name none.
 */
temperature?: {
rule: Label
/**
 * @minItems 1
 */
values: number[]
/**
 * One fewer than the values: the first value is for what reaches the first threshold, and so on.
 */
thresholds: number[]
}
ceiling_tokens: Count
}
/**
 * What verify found of one question and its proof. The same bytes and policy give the same report.
 */
export interface ProofReport {
schema: "sealane-proof-report/1"
tool: Tool
lane: ({
lane_id: LaneId
lane_version: Ordinal
manifest_sha256: Sha256
questions: Count
} | null)
/**
 * The question that was asked for.
 */
question_id: string
tree: (TreeName | null)
/**
 * What the signed manifest binds by this proof; null unless every check passed. A side that the proof does not hold is null.
 */
bound: ({
reader: (ReaderLeaf | null)
evaluator: (EvaluatorLeaf | null)
item: (ItemLeaf | null)
} | null)
limits: string[]
exit_code: number
checks: CheckReport[]
}
/**
 * One question in the reader tree: what the reader was given. It holds no digest of a reference or grade.
 */
export interface ReaderLeaf {
question_id: Id
ordinal: Count
evidence_sha256: Sha256
protocol_sha256: Sha256
request_sha256: Sha256
}
/**
 * One question in the evaluator tree: what the answer was graded against, and how.
 */
export interface EvaluatorLeaf {
question_id: Id
ordinal: Count
endpoints: {
endpoint: Label
protocol_sha256: Sha256
}[]
reference_sha256: Sha256
}
/**
 * One question in the item tree: both sides of it, its answer and its grades.
 */
export interface ItemLeaf {
question_id: Id
ordinal: Count
answer_sha256: (Sha256 | null)
answer_status: AnswerStatus
evaluator_leaf_sha256: Sha256
grades: {
endpoint: Label
grade_sha256: Sha256
score: Score
}[]
reader_leaf_sha256: Sha256
receipt_sha256: Sha256
}
/**
 * Everything a request holds beside the packet and the question (protocols/reader.json).
 */
export interface ReaderProtocol {
schema: "sealane-reader/1"
reader: Label
api: "ollama-chat"
/**
 * The requested model; the digest as the server reported it before the first call, null when it reports none.
 */
model: {
name: string
digest: (Sha256 | null)
}
/**
 * Sampling and context options, sent as they stand.
 */
options: {
[k: string]: number
}
/**
 * Each request is sent with the temperature its packet names; absent when all have the one of the options.
 */
temperature?: "per-question"
think: (boolean | string)
stream: boolean
keep_alive: string
system: string
user: Template
question_date_missing: string
}
/**
 * One reader call: what was sent, what came back, when and how it ended (receipts/reader.jsonl). Never edited.
 */
export interface ReceiptRecord {
question_id: Id
attempt: Ordinal
request_sha256: Sha256
status: AnswerStatus
started: Time
ended?: Time
http_status?: number
model: {
requested: string
reported?: string
}
usage?: {
prompt_tokens?: Count
completion_tokens?: Count
}
response_sha256?: Sha256
/**
 * The raw response bytes: as text when they are valid UTF-8, else base64.
 */
response?: {
encoding: ("utf8" | "base64")
data: string
}
/**
 * Why the call was counted as a failure, in words.
 */
error?: string
}
/**
 * The benchmark's gold answer (evaluator/references.jsonl). Evaluator's side only.
 */
export interface ReferenceRecord {
question_id: Id
/**
 * As the dataset gives it; null for a question without an answer.
 */
reference: (string | number | null)
evidence: [Ordinal, Ordinal][]
/**
 * Sessions that the dataset labels as support, where it labels sessions beside turns.
 */
evidence_sessions?: Ordinal[]
/**
 * Support labels of the dataset that name no turn, verbatim.
 */
evidence_unresolved?: string[]
/**
 * The points an answer is scored on, as the dataset gives them; absent where it gives none.
 */
rubric?: string[]
}
/**
 * What verify found. The same evidence and policy give the same bytes.
 */
export interface Report {
schema: "sealane-report/1"
tool: Tool
lane: ({
lane_id: LaneId
lane_version: Ordinal
manifest_sha256: Sha256
} | null)
mode: "reference-verification"
verdict: {
/**
 * partial: only some checks were asked for, or a detached lane came without its dataset, and what was checked holds; that is no verification.
 */
integrity: ("verified" | "partial" | "failed" | "malformed" | "unsupported" | "limit-exceeded" | "not-evaluated")
policy: ("met" | "not-met" | "not-evaluated")
protocol: {
mode: "reference-verification"
identities: {
name: Label
declared: (string | null)
observed: (string | null)
equal: (boolean | null)
}[]
}
limits: string[]
}
exit_code: number
checks: CheckReport[]
/**
 * What the findings leave of the published numbers; there only when a check failed and the lane could be read.
 */
numbers?: {
endpoint: Label
/**
 * null: all questions.
 */
category: (Label | null)
questions: Count
/**
 * The mean that results.json declares; null when it cannot be read or declares none.
 */
published: (Score | null)
/**
 * The mean of the rows as they stand; null when they cannot be read to the end.
 */
recounted: (Score | null)
doubtful: Count
missing: Count
/**
 * The least that the number can be: every doubtful and missing question scored 0. null: nothing bounds it.
 */
low: (Score | null)
/**
 * The most that the number can be: every doubtful and missing question scored 1. null: nothing bounds it.
 */
high: (Score | null)
/**
 * Where there are no bounds: the place of the first finding that takes them away, or why they cannot be known.
 */
unbounded_by: (string | null)
}[]
}
/**
 * The digest of the exact bytes sent to the reader for one question (requests.jsonl).
 */
export interface RequestRecord {
question_id: Id
body_sha256: Sha256
body_bytes: Count
protocol_sha256: Sha256
}
/**
 * The declared totals, by endpoint and category (results.json). Sums are correctly rounded, so their order does not matter.
 */
export interface Results {
schema: "sealane-results/1"
questions: Count
answers: {
answered: Count
empty: Count
"output-limit": Count
interrupted: Count
failed: Count
}
evidence_tokens: {
total: Count
min: Count
max: Count
mean: number
median: number
}
endpoints: {
endpoint: Label
overall: {
questions: Count
score_total: number
score_mean: (Score | null)
}
by_category: {
category: Label
questions: Count
score_total: number
score_mean: (Score | null)
}[]
}[]
}
/**
 * How much of the support that the dataset labels stands in the packets (part of what tables --json prints).
 */
export interface Retrieval {
schema: "sealane-retrieval/1"
/**
 * A row a category in order of code units, then one over all.
 */
rows: {
/**
 * Null: over all categories.
 */
category: (Label | null)
questions: Count
labelled: Count
labelled_sessions: Count
turn: Recall
session: Recall
evidence_tokens: {
mean: Figure
median: Figure
max: Figure
}
history_share: Share
}[]
}
/**
 * Means over the labelled questions: at least one labelled unit is quoted, every one is, the part of them that is.
 */
export interface Recall {
any: Share
all: Share
fraction: Share
}
/**
 * A run folder: a lane in the making (run.json). Written once, by prepare.
 */
export interface Run {
schema: "sealane-run/1"
tool: Tool
created: Time
preparation_sha256: Sha256
population: {
count: Count
ids_sha256: Sha256
}
/**
 * What prepare wrote, so that a later stage can tell whether it was changed.
 */
files: FileEntry[]
}
/**
 * What verification remembers, when asked to: of each lane the highest version that it found good.
 */
export interface State {
schema: "sealane-state/1"
/**
 * By lane id.
 */
lanes: {
[k: string]: LaneSeen
}
}
/**
 * This interface was referenced by `undefined`'s JSON-Schema definition
 * via the `patternProperty` "^[a-z0-9][a-z0-9.-]{0,63}$".
 */
export interface LaneSeen {
version: Ordinal
manifest_sha256: Sha256
first_seen: Time
}
/**
 * in-toto Statement v1 with exactly one subject, manifest.json.
 */
export interface Statement {
_type: "https://in-toto.io/Statement/v1"
/**
 * @minItems 1
 * @maxItems 1
 */
subject: {
name: "manifest.json"
digest: {
sha256: Sha256
/**
 * Never written; held against the manifest when another signer adds it.
 */
sha512?: string
}
}[]
predicateType: "https://sealane.dev/lane-manifest/v1"
predicate: {
lane_id: LaneId
lane_version: Ordinal
}
}
/**
 * The rules of the endpoint token-f1 (protocols/token-f1.json).
 */
export interface TokenF1Protocol {
schema: "sealane-token-f1/1"
endpoint: "token-f1"
/**
 * Steps in order.
 */
normalisation: Label[]
stemmer: Label
rules: {
category: Label
rule: Label
}[]
rule_otherwise: Label
abstention_phrases: string[]
failure_score: 0
rule_without_reference: Label
}
/**
 * Who may sign which lane, and how many signatures that takes: a chain of TUF root metadata, version 1 first, each signed by enough keys of the version before and of its own.
 */
export interface TrustFile {
schema: "sealane-trust/1"
/**
 * @minItems 1
 * @maxItems 1024
 */
roots: TrustRoot[]
}
/**
 * One version: TUF 1.0 root metadata (specification section 4.3) with members of our own.
 */
export interface TrustRoot {
/**
 * @maxItems 64
 */
signatures: {
keyid: Sha256
/**
 * Ed25519 over the OLPC canonical JSON of `signed`, in hexadecimal.
 */
sig: string
}[]
signed: RootSigned
}
export interface RootSigned {
_type: "root"
spec_version: "1.0.31"
version: Ordinal
/**
 * When its keepers mean to have replaced it, in UTC. Shown, never part of a verdict.
 */
expires: string
consistent_snapshot: true
/**
 * By TUF key id.
 */
keys: {
[k: string]: RootKeyObject
}
roles: {
/**
 * Who signs the next version, and how many of them.
 */
root: {
/**
 * @maxItems 64
 */
keyids: Sha256[]
threshold: number
}
targets: {
/**
 * @maxItems 64
 */
keyids: Sha256[]
threshold: number
}
snapshot: {
/**
 * @maxItems 64
 */
keyids: Sha256[]
threshold: number
}
timestamp: {
/**
 * @maxItems 64
 */
keyids: Sha256[]
threshold: number
}
}
/**
 * Whose key each is, for people.
 */
"x-sealane-owners": {
/**
 * Printable text.
 * 
 * This interface was referenced by `undefined`'s JSON-Schema definition
 * via the `patternProperty` "^[0-9a-f]{64}$".
 */
[k: string]: string
}
/**
 * Of the rules that match a lane's id, the most specific holds.
 * 
 * @maxItems 1024
 */
"x-sealane-lanes": LaneRule[]
"x-sealane-witnesses"?: WitnessRule
/**
 * Certificates of time-stamping authorities (RFC 3161), or of those that issue such certificates.
 * 
 * @minItems 1
 * @maxItems 64
 */
"x-sealane-authorities"?: string[]
/**
 * A lane needs a trusted time: a quorum of witnesses, or a token of an authority.
 */
"x-sealane-time-required"?: true
/**
 * @maxItems 1024
 */
"x-sealane-revoked": RevokedKey[]
}
/**
 * This interface was referenced by `undefined`'s JSON-Schema definition
 * via the `patternProperty` "^[0-9a-f]{64}$".
 */
export interface RootKeyObject {
/**
 * Ed25519 is what this release uses.
 */
keytype: string
scheme: string
keyval: {
/**
 * The 32 public key bytes in hexadecimal.
 */
public: string
}
}
export interface LaneRule {
/**
 * A lane id, or a prefix ended by '*'.
 */
lanes: string
threshold: number
/**
 * @maxItems 64
 */
keyids: Sha256[]
}
/**
 * Who may witness a lane by cosigning its checkpoint, and how many of them must.
 */
export interface WitnessRule {
threshold: number
/**
 * @maxItems 64
 */
keyids: Sha256[]
}
export interface RevokedKey {
keyid: Sha256
/**
 * UTC with milliseconds: from here on, signatures by the key count for nothing.
 */
since: string
/**
 * Printable text.
 */
reason: string
}
/**
 * One turn that some packet quotes (turns.jsonl), in order of history, session and turn.
 */
export interface TurnRecord {
history_id: Id
session: Ordinal
turn: Ordinal
bytes: Count
turn_sha256: Sha256
}
/**
 * Header of a vector file: what made the vectors, where, when and how many (docs/embeddings.md).
 */
export interface Vectors {
schema: "sealane-vectors/1"
embedding: Embedding
/**
 * What did the computing, one entry for each time that `sealane embed` ran; rows name theirs by position.
 * 
 * @minItems 1
 * @maxItems 65536
 */
compute: {
/**
 * As the server or library names itself.
 */
software: string
/**
 * As the server or library says; "not told" when it does not.
 */
device: string
started: Time
vectors: Count
}[]
count: Count
}
/**
 * A printed number from its total down to the dataset; with another lane, where the two part.
 */
export interface Why {
schema: "sealane-why/1"
tool: Tool
number: {
endpoint: Label
/**
 * null: all questions.
 */
category: (Label | null)
}
/**
 * 0 when the number holds, in both lanes where there are two.
 */
exit_code: number
walk: NumberWalk
against: ({
walk: NumberWalk
same_experiment: boolean
/**
 * Documents upstream of the number that differ.
 */
documents: string[]
only_here: Count
only_there: Count
same_score: Count
/**
 * The total of this lane less that of the other.
 */
score_difference: number
mean_difference: (number | null)
causes: {
/**
 * The furthest upstream layer in which the two lanes differ for these questions.
 */
layer: string
questions_total: Count
higher: Count
lower: Count
/**
 * The sum of their scores in this lane less that in the other.
 */
score_difference: number
/**
 * The first of them.
 */
questions: Id[]
}[]
} | null)
limits: string[]
}
/**
 * A printed number in one lane, from its total down.
 */
export interface NumberWalk {
lane: {
lane_id: LaneId
lane_version: Ordinal
manifest_sha256: Sha256
}
exit_code: number
/**
 * As results.json declares it.
 */
published: ({
questions: Count
score_total: number
score_mean: (Score | null)
} | null)
/**
 * As the rows give it; null when they cannot be read to their end.
 */
recounted: ({
questions: Count
score_total: number
score_mean: (Score | null)
} | null)
/**
 * Questions scored 0, by how their call ended.
 */
zeros: {
status: AnswerStatus
count: Count
}[]
/**
 * From the printed number down.
 */
layers: {
layer: string
/**
 * not-judged: something that it rests on cannot be read; not-asked: it takes the dataset, which was not given.
 */
outcome: ("holds" | "fails" | "not-judged" | "not-asked")
rows: Count
findings_total: Count
codes: string[]
/**
 * The first of them.
 */
questions: Id[]
/**
 * Why it was not judged, or the first finding in words.
 */
why: (string | null)
}[]
/**
 * The first layer from the number down that fails; when none does, the first that could not be judged.
 */
first_failing: (string | null)
}
