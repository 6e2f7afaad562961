// Reason codes, findings and errors: what can be wrong, in one closed list. Tests assert codes, never sentences.

/** Exit codes of every command (the `Exit codes` part of the README). */
export const EXIT = {
  ok: 0,
  failed: 1,
  malformed: 2,
  policy: 3,
  unsupported: 4,
  limit: 5,
  inconclusive: 6,
  differs: 7,
  usage: 64,
  unavailable: 69,
  internal: 70,
  io: 74,
  interrupted: 130,
} as const;

/** What a code means for the verdict; the key of its exit code. */
export type Severity = keyof typeof EXIT;

interface Reason {
  readonly severity: Severity;
  /** What is wrong, for a stranger. */
  readonly meaning: string;
  /** What to do next. */
  readonly next: string;
}

const reason = (severity: Severity, meaning: string, next: string): Reason => ({ severity, meaning, next });

/** Every reason code. A code raised by verification belongs to one check, which names it in `emits`. */
export const REASONS = {
  // Signatures and trust
  E_SIGNATURE_MISSING: reason(
    "failed",
    "The lane has no signature envelope.",
    "Ask the author for manifest.dsse.json.",
  ),
  E_SIG: reason(
    "failed",
    "A signature does not verify over the bytes it is said to sign.",
    "Do not rely on this lane; get it again from its author.",
  ),
  E_SIG_S_RANGE: reason(
    "failed",
    "The S of a signature is not below the group order: one signature would have many spellings.",
    "Do not rely on this lane; get it again from its author.",
  ),
  E_SIG_R: reason(
    "failed",
    "The R of a signature is of small order or not canonical: one signature could count for many messages.",
    "Do not rely on this lane; get it again from its author.",
  ),
  E_SIG_LEN: reason("malformed", "A signature is not 64 bytes long.", "Get the lane again from its author."),
  E_BASE64: reason(
    "malformed",
    "A base64 value has characters, padding or bits that do not belong there.",
    "Get the lane again from its author.",
  ),
  E_SUBJECT: reason(
    "failed",
    "The signed statement is about another manifest than the one in the lane.",
    "Get manifest.json and manifest.dsse.json of the same release.",
  ),
  E_PREDICATE: reason(
    "failed",
    "What the signed statement says of the lane differs from the manifest.",
    "Get manifest.json and manifest.dsse.json of the same release.",
  ),
  E_UNTRUSTED_KEY: reason(
    "policy",
    "No trusted key signed this lane.",
    "Check the signer's key id with its owner, then name a trust file with --trust.",
  ),
  E_THRESHOLD: reason(
    "policy",
    "Fewer distinct trusted keys signed than the trust file asks for.",
    "Ask the other signers to sign the manifest.",
  ),
  E_KEY_WEAK: reason(
    "policy",
    "A public key is of small order, not canonical or no point: signatures under it prove nothing.",
    "Remove the key from the trust file.",
  ),
  E_KEY_TORSION: reason(
    "policy",
    "A public key has a torsion component: signatures under it hold in one implementation and not in another.",
    "Remove the key from the trust file.",
  ),
  E_KEY: reason(
    "malformed",
    "A key file does not hold an Ed25519 key.",
    "Make one with: sealane keys new --out author.pem",
  ),
  E_LANE_OWNER: reason(
    "policy",
    "The lane is signed by a known key that may not sign lanes of this name.",
    "Ask the owner of the lane's name who published it.",
  ),
  E_REVOKED: reason(
    "policy",
    "The lane rests on a revoked key, and nothing shows that it was signed before the key was revoked.",
    "Ask the author for the lane signed by another key, or for a time stamp from before: verify --anchor.",
  ),
  E_ROOT_CHAIN: reason(
    "policy",
    "A version of the trust file is not signed by enough keys of the version before and of its own.",
    "Get the trust file again from whoever keeps it.",
  ),
  E_ROLE_OVERLAP: reason(
    "policy",
    "One key holds two roles that must be apart.",
    "Give one of the roles to another key.",
  ),
  E_THRESHOLD_CFG: reason(
    "malformed",
    "A threshold of the trust file is not between one and the number of its distinct keys.",
    "Correct the threshold.",
  ),
  E_KEYTYPE: reason(
    "unsupported",
    "A key or signature is of a kind this release does not use here.",
    "Use Ed25519 keys.",
  ),
  E_PASSPHRASE: reason(
    "usage",
    "The key file is encrypted, and its passphrase is missing or wrong.",
    "Type it when asked, or pass it with --passphrase-fd.",
  ),
  // Time and versions
  E_ROLLBACK: reason(
    "policy",
    "A newer version of this lane was seen before.",
    "Get the newest version, or verify without --state to look at this one as it is.",
  ),
  E_FORK: reason(
    "failed",
    "Another lane of this name and version was seen before.",
    "Ask the author which of the two is his.",
  ),
  E_CHAIN: reason(
    "failed",
    "The lane names another version before it than the one that was seen.",
    "Ask the author for the versions in between.",
  ),
  E_FAST_FORWARD: reason(
    "policy",
    "The lane's version jumps over versions that were never seen here.",
    "Verify the versions in between first, or start a new state file.",
  ),
  E_WITNESS: reason(
    "policy",
    "Fewer distinct witnesses than the trust file asks for cosigned the lane.",
    "Ask another witness to cosign it: sealane sign --as witness",
  ),
  E_TSA: reason(
    "failed",
    "A time-stamp token is not one of a trusted authority over a signature of this lane.",
    "Check the token with its authority, and that its certificate is in the trust file.",
  ),
  E_OTS: reason(
    "failed",
    "An OpenTimestamps proof is not one of a signature of this lane, or does not lead to the block that it names.",
    "Get the proof of this lane again from whoever stamped it.",
  ),
  E_ANCHOR: reason(
    "malformed",
    "An anchor is neither a cosigned checkpoint, nor an RFC 3161 token, nor an OpenTimestamps proof.",
    "Name a file of one of these kinds with --anchor.",
  ),
  // Proofs
  E_CHECKPOINT: reason(
    "failed",
    "A checkpoint is not a signed statement of the tree in the manifest.",
    "Get the lane or the proof again from its author.",
  ),
  E_PROOF: reason(
    "malformed",
    "The proof is not in the form c2sp.org/tlog-proof@v1.",
    "Make it again with: sealane prove",
  ),
  E_INCLUSION: reason(
    "failed",
    "The proof does not show that the question stands in the lane's tree.",
    "Make it again with: sealane prove",
  ),
  E_BACKENDS: reason(
    "failed",
    "The two signature implementations disagree about a signature, so the answer is no.",
    "Report this lane to the project.",
  ),
  // Files
  E_MANIFEST_MISSING: reason(
    "malformed",
    "There is no manifest.json: this is not a lane.",
    "Name the folder or archive that `sealane seal` or `sealane pack` wrote.",
  ),
  E_DIGEST: reason(
    "failed",
    "A file's bytes are not the ones the manifest names.",
    "Get the file again; if it still differs, the lane was changed after it was sealed.",
  ),
  E_DIGEST_CONFLICT: reason(
    "failed",
    "Two digests of one file are not those of the same bytes.",
    "Get the lane again from its author.",
  ),
  E_SIZE: reason(
    "failed",
    "A file's length is not the one the manifest names.",
    "Get the file again; if it still differs, the lane was changed after it was sealed.",
  ),
  E_FILE_MISSING: reason("failed", "A file that the manifest names is not there.", "Get the whole lane again."),
  E_FILE_EXTRA: reason(
    "failed",
    "A file is there that the manifest does not name.",
    "Move it away, or get the lane again: nothing unsigned may stand in a lane.",
  ),
  E_NOT_REGULAR: reason(
    "failed",
    "A link (symbolic or hard), device or other special file stands in the lane.",
    "Get the lane again; a lane holds regular files only.",
  ),
  E_PATH: reason(
    "malformed",
    "A path in the manifest is outside the path grammar, doubled or out of order.",
    "Get the lane again from its author.",
  ),
  E_PATH_CASE: reason(
    "malformed",
    "Two paths in the manifest differ in capitals alone: some file systems would make one file of them.",
    "Ask the author to rename one of the files.",
  ),
  E_PATH_UNICODE: reason(
    "malformed",
    "Two paths in the manifest are the same once Unicode is normalised and capitals are folded.",
    "Ask the author to rename one of the files.",
  ),
  E_PATH_PREFIX: reason(
    "malformed",
    "A path in the manifest is a file and a folder at once.",
    "Ask the author to rename one of the files.",
  ),
  // Documents
  E_UTF8: reason("malformed", "The bytes are not well-formed UTF-8.", "Get the file again from its author."),
  E_JSON: reason(
    "malformed",
    "The text is not JSON as this tool reads it: no duplicate keys, no lone surrogates, bounded depth.",
    "Check that the file is whole, then repair it at the place named.",
  ),
  E_SURROGATE: reason(
    "malformed",
    "A text holds half of a surrogate pair, which no UTF-8 can hold.",
    "Repair the text at the place named.",
  ),
  E_JSON_CANON: reason(
    "malformed",
    "The bytes are not the canonical form (RFC 8785) of what they say.",
    "Get the file again from its author.",
  ),
  E_SCHEMA: reason(
    "malformed",
    "The document does not have the shape its schema asks for.",
    "Compare the document with schemas/ at the place named.",
  ),
  E_INT: reason(
    "malformed",
    "A whole number is out of range, of another type or spelt in another way than canonical JSON does.",
    "Get the file again from its author.",
  ),
  E_SCORE: reason("malformed", "A score is not a number from 0 to 1.", "Grade the lane again."),
  E_ID: reason(
    "malformed",
    "An id has other characters than ids may have, so that two could look the same.",
    "Rename it: letters, digits, '.', '_', '-' and '/'; in a lane's name no capitals, '_' or '/'.",
  ),
  E_NAME: reason(
    "malformed",
    "A name or note holds control characters, or a member is named like a built-in property.",
    "Rename it at the place named.",
  ),
  E_DIGEST_FORMAT: reason(
    "malformed",
    "A digest is not 64 lower-case hexadecimal digits.",
    "Get the file again from its author.",
  ),
  E_ALG: reason(
    "unsupported",
    "A digest is of another algorithm than this release uses.",
    "Ask the author for a lane with SHA-256 digests.",
  ),
  E_ALG_SOURCE: reason(
    "failed",
    "An envelope says itself how it is to be checked. That is for the trust file alone to say.",
    "Get the lane again from its author.",
  ),
  E_VERSION: reason(
    "unsupported",
    "The document is of a version that this release does not know.",
    "Use the release of sealane that wrote it, or a newer one.",
  ),
  E_LIMIT: reason(
    "limit",
    "Something is larger than this tool reads.",
    "If the input is honest, raise the limit named, or split the input.",
  ),
  E_FORMAT: reason(
    "unsupported",
    "The file is not a folder, tar, tar.gz or store-only zip of a lane.",
    "Name a folder or an archive that `sealane pack` wrote.",
  ),
  // Population
  E_POPULATION: reason(
    "failed",
    "The population is not the one declared: questions are missing, added or not accounted for.",
    "Compare population.jsonl with the dataset.",
  ),
  E_ORDER: reason("failed", "Records do not stand in population order.", "Get the lane again from its author."),
  E_DUPLICATE: reason("failed", "An id or a record stands twice.", "Get the lane again from its author."),
  E_SCOPE: reason(
    "policy",
    "The lane leaves out questions for a reason that its dataset adapter does not have: it is no lane of the whole dataset.",
    "Compare it with lanes of the same questions only.",
  ),
  E_DATASET_BINDING: reason(
    "failed",
    "The lane says of the dataset something the dataset does not say.",
    "Compare the named question with your copy of the dataset.",
  ),
  E_DATASET: reason(
    "failed",
    "The dataset file is not the one named.",
    "Use the file whose SHA-256 is named, or say that yours is another dataset.",
  ),
  // Packets and requests
  E_BUDGET: reason(
    "failed",
    "An evidence packet is over the token ceiling, or its token count is not true.",
    "Prepare the packets again.",
  ),
  E_WORD: reason(
    "limit",
    "A word of the evidence is too long for its tokens to be counted.",
    "Look at the packet of the question named.",
  ),
  E_VECTOR: reason(
    "failed",
    "A vector that the arm needs is not there, or is no vector.",
    "Make the vectors of this dataset with: sealane embed",
  ),
  E_SPAN: reason(
    "failed",
    "A span does not lie in its turn, or stands twice in one packet.",
    "Prepare the packets again.",
  ),
  E_PREFIX: reason(
    "failed",
    "A packet does not begin with the protected evidence it declares.",
    "Prepare the packets again.",
  ),
  E_PREPARATION: reason(
    "failed",
    "A packet is not the one that the lane's arm makes of the dataset under the sealed preparation protocol.",
    "Do not rely on this lane as one of its arm; ask the author how the packet named was made.",
  ),
  E_EVIDENCE: reason(
    "failed",
    "The evidence in a request is not the evidence of its packet.",
    "Compare the request with the packet of the question named.",
  ),
  E_REQUEST: reason(
    "failed",
    "A request is not the one that its packet, question and reader protocol make.",
    "Compare the request with the reader protocol.",
  ),
  E_LEAK: reason(
    "failed",
    "A gold answer, or something else of the evaluator's side, stands in a request where the source did not put it.",
    "Do not rely on the answers: the reader was told. Look at the text named.",
  ),
  // Receipts, answers, grades
  E_RECEIPT: reason(
    "failed",
    "A receipt does not belong to its request, or does not hold together.",
    "Compare the receipt with the request of the question named.",
  ),
  E_FAILURE_CLASS: reason(
    "failed",
    "A call ended otherwise than its receipt says: a failure was turned into an answer, or an answer into a failure.",
    "Compare the receipt's status with the raw response it keeps.",
  ),
  E_LEDGER: reason(
    "failed",
    "The attempts at a question and the recorded decisions about them do not add up.",
    "Compare the receipt's attempt with the decisions in amendments.jsonl.",
  ),
  E_RETRY: reason(
    "failed",
    "A question has more than one call that could count, and one was chosen.",
    "Ask the author for all calls of the question named.",
  ),
  E_CALL_MIX: reason(
    "failed",
    "Calls of another model stand among the lane's: they come from another run.",
    "Compare the receipts of the questions named with the reader protocol.",
  ),
  E_CHANNEL: reason(
    "failed",
    "The reader's thinking stands in the place of its answer.",
    "Compare the answer with the two channels of the raw response in the receipt.",
  ),
  E_ANSWER: reason(
    "failed",
    "An answer is not what its receipt says the reader answered.",
    "Compare the answer with the raw response in the receipt.",
  ),
  E_REFERENCE: reason(
    "failed",
    "A reference is missing, doubled, out of order or not the dataset's.",
    "Compare the reference with your copy of the dataset.",
  ),
  E_GRADE: reason(
    "failed",
    "A grade is not bound to its answer and reference, or is not what its rule gives.",
    "Grade the lane again and compare.",
  ),
  E_TREE: reason(
    "failed",
    "A Merkle root in the manifest is not the root over the lane's records.",
    "Get the lane again from its author.",
  ),
  E_PROTOCOL: reason(
    "failed",
    "A protocol document is not the one the manifest or a record names.",
    "Get the lane again from its author.",
  ),
  E_DENOMINATOR: reason(
    "failed",
    "A score is taken over fewer or more questions than the population has: failures count as zeros, they do not drop out.",
    "Trust the recomputed figure.",
  ),
  E_ARITH: reason("failed", "A declared total is not the total of the rows.", "Trust the recomputed figure."),
  E_AMENDMENT: reason("failed", "The chain of amendments is broken.", "Get the lane again from its author."),
  E_TIME: reason(
    "failed",
    "Times that the lane gives cannot all be true: no such moment, an end before its beginning, an effect before its cause.",
    "Ask the author how the run was made.",
  ),
  E_MODE: reason(
    "failed",
    "The lane says that it can be used in a way for which it holds no records.",
    "Rely on reference verification alone, or ask the author for the records.",
  ),
  E_MODEL_ID: reason(
    "policy",
    "The model that answered cannot be told from another one of its name.",
    "Take results by this lane as those of an unknown model, or ask the author for a lane whose model has a digest.",
  ),
  // Detached lanes
  E_RECIPE: reason(
    "failed",
    "A detached lane does not give, with its dataset, the lane that it names.",
    "Get the lane again from its author.",
  ),
  // Containers
  E_TAR_BYTES: reason(
    "failed",
    "A byte of the tar is not the one its manifest implies.",
    "Get the archive again; do not extract it.",
  ),
  E_ZIP_BYTES: reason(
    "failed",
    "A byte of the zip is not the one its manifest implies.",
    "Get the archive again; do not extract it.",
  ),
  E_GZIP: reason(
    "failed",
    "The gzip wrapper is damaged, has more than one member, or has bytes after its end.",
    "Get the archive again; do not extract it.",
  ),
  // Making a lane
  E_UNKNOWN: reason("usage", "No such name is known here.", "Choose one of the names listed."),
  E_USAGE: reason("usage", "The command line does not say what to do.", "See: sealane <command> --help"),
  E_EXISTS: reason(
    "usage",
    "The output is there already, and nothing is ever overwritten.",
    "Choose another --out, or move the old one away.",
  ),
  E_MISSING: reason("usage", "A file or folder that the command needs is not there.", "Check the path."),
  E_DETACH: reason(
    "failed",
    "The lane cannot be detached: something in it is not what the dataset and its protocols make.",
    "Verify the lane with --dataset first; it says what differs.",
  ),
  E_DETACH_TEXT: reason(
    "failed",
    "The detached lane would hold text of the dataset, so it was not made.",
    "Look at the place named; the lane as it is cannot be published without that text.",
  ),
  E_DETACHED: reason(
    "inconclusive",
    "The lane is detached, and what was asked needs the text that it does not hold.",
    "Make it whole: sealane hydrate <lane> --dataset FILE --out DIR",
  ),
  E_RUN_CHANGED: reason(
    "failed",
    "A file of the run folder was changed after the stage that wrote it.",
    "Prepare again into a new folder.",
  ),
  E_RUN_STAGE: reason(
    "usage",
    "The run folder has not come far enough for this command.",
    "Run the stage named first.",
  ),
  E_PAIRING: reason(
    "differs",
    "The two lanes do not have the same questions, references and endpoint protocol, so that no question can be paired.",
    "Compare lanes of one population; see where they part with: sealane diff.",
  ),
  E_RUN_MIX: reason(
    "differs",
    "The run folder already holds calls of another reader protocol.",
    "Use a new run folder for another reader.",
  ),
  E_RUN_BUSY: reason("usage", "Another sealane process is working on this run folder.", "Wait for it, or stop it."),
  E_UNDECIDED: reason(
    "inconclusive",
    "Calls were interrupted and wait for a decision.",
    "Decide with: sealane resolve <run> --retry-once | --count-as-failure",
  ),
  E_INCOMPLETE: reason(
    "inconclusive",
    "The run was stopped before every question was answered. Nothing is lost.",
    "Run the same command again to go on.",
  ),
  E_READER: reason(
    "unavailable",
    "The reader could not be reached.",
    "Check that the server runs and that --url is right, then run the same command again.",
  ),
  E_EMBEDDER: reason(
    "unavailable",
    "The embedding model could not be reached, or did not do what it was asked.",
    "Check the server, the model's name and --url, then run the same command again; finished vectors are kept.",
  ),
  E_NO_DATASET: reason("inconclusive", "The check needs the dataset.", "Name it with --dataset."),
  E_CANCELLED: reason("interrupted", "Stopped on request. Nothing is lost.", "Run the same command again to go on."),
  E_INTERNAL: reason(
    "internal",
    "sealane itself failed. This says nothing of what it was looking at.",
    "Report it, with the command and what it printed.",
  ),
  E_IO: reason("io", "Reading or writing failed.", "Check the path, its permissions and the free space."),
} as const satisfies Record<string, Reason>;

export type ReasonCode = keyof typeof REASONS;

/** One thing that is wrong, as data: code, place, what was expected and found, and one sentence a stranger understands. */
export interface Finding {
  readonly code: ReasonCode;
  /** Where: a path in the lane, with a line number where there is one (`answers.jsonl:17`). */
  readonly at: string;
  readonly questionId?: string;
  readonly expected?: string;
  readonly found?: string;
  readonly message: string;
}

/** An error with a reason code: bad input, a refused action or broken I/O. Anything else that is thrown is a bug. */
export class SealaneError extends Error {
  override readonly name = "SealaneError";
  readonly code: ReasonCode;
  readonly at: string | undefined;
  readonly expected: string | undefined;
  readonly found: string | undefined;
  readonly next: string;

  constructor(
    code: ReasonCode,
    message: string,
    more: { at?: string; expected?: string; found?: string; next?: string; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.at = more.at;
    this.expected = more.expected;
    this.found = more.found;
    this.next = more.next ?? REASONS[code].next;
  }

  get exitCode(): number {
    return EXIT[REASONS[this.code].severity];
  }
}
