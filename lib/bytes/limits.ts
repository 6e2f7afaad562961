/** Bounds on everything read. A value over its bound is refused with E_LIMIT, never cut. */
export const LIMITS = {
  /** Nesting of arrays and objects in any JSON document. */
  jsonDepthMax: 64,
  /** One line of a record file: the longest is a request body. */
  lineBytesMax: 64 * 2 ** 20,
  /** A whole JSON document that is read at once: manifest, envelope, protocol, trust file. */
  documentBytesMax: 256 * 2 ** 20,
  /** A tokenizer.json; the largest that are published have about 35 MB. */
  tokenizerBytesMax: 128 * 2 ** 20,
  /** A key file. */
  keyBytesMax: 64 * 2 ** 10,
  /** A signed note, or a proof that holds one. */
  noteBytesMax: 2 ** 20,
  /** An anchor: a cosigned checkpoint, a time-stamp token or an OpenTimestamps proof. */
  anchorBytesMax: 2 ** 20,
  /** Anchors given to one verification. */
  anchorsMax: 64,
  /** A dataset file that is loaded whole; below the longest string that Node holds. */
  datasetBytesMax: 500 * 2 ** 20,
  /** One element of a dataset file that is read element by element: a question with its history. */
  elementBytesMax: 256 * 2 ** 20,
  /** Files in a lane. */
  filesMax: 10_000,
  /** Bytes of a lane, all files together, also behind gzip. */
  laneBytesMax: 64 * 2 ** 30,
  /** How many times larger than the gzip file the archive in it may be. */
  gzipRatioMax: 1_000,
  /** Bytes of one reader response: its receipt, escaped six bytes for one at worst, must stay below a line's limit. */
  responseBytesMax: 8 * 2 ** 20,
  /** Questions of a population. */
  questionsMax: 1_000_000,
  /** Characters of evidence without white space that tokens are counted of: the work grows with the square of the length. */
  wordCharactersMax: 10_000,
  /** Findings kept per check; the rest are counted. */
  findingsMax: 100,
} as const;
