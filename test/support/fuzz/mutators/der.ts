// Mutations of DER that keep the lengths around a change right, or make exactly one wrong.
import type { Chance } from "../../../../lib/synthetic/chance.js";
import { mutateBytes } from "./bytes.js";
import type { Mutator } from "./mutator.js";

interface Node {
  tag: number;
  content: Buffer | Node[];
  /** Another spelling of the length than DER has. */
  length?: (right: number) => Buffer;
}

/** Values one after the other; undefined when the bytes are not that. */
function read(bytes: Buffer, depth = 0): Node[] | undefined {
  const nodes: Node[] = [];
  for (let at = 0; at < bytes.length; ) {
    const [tag, first] = [bytes[at]!, bytes[at + 1]];
    if (first === undefined || depth > 32) return undefined;
    const more = first < 0x80 ? 0 : first & 0x7f;
    if (more > 4 || first === 0x80 || at + 2 + more > bytes.length) return undefined;
    const length = more === 0 ? first : bytes.readUIntBE(at + 2, more);
    const start = at + 2 + more;
    if (start + length > bytes.length) return undefined;
    const content = bytes.subarray(start, start + length);
    // What is primitive may hold DER, as the content of a token does.
    const inside = (tag & 0x20) !== 0 || (tag === 0x04 && content[0] === 0x30) ? read(content, depth + 1) : undefined;
    nodes.push({ tag, content: inside ?? content });
    at = start + length;
  }
  return nodes;
}

function lengthOf(count: number, bytes = 0): Buffer {
  if (count < 0x80 && bytes === 0) return Buffer.of(count);
  const hex = count.toString(16);
  const digits = Buffer.from(hex.padStart(Math.max(2 * bytes, hex.length + (hex.length % 2)), "0"), "hex");
  return Buffer.concat([Buffer.of(0x80 | digits.length), digits]);
}

function written({ tag, content, length }: Node): Buffer {
  const inside = Array.isArray(content) ? Buffer.concat(content.map(written)) : content;
  return Buffer.concat([Buffer.of(tag), length?.(inside.length) ?? lengthOf(inside.length), inside]);
}

interface Place {
  readonly parent: Node[];
  readonly index: number;
}

function placesIn(parent: Node[]): Place[] {
  return parent.flatMap(({ content }, index) => [
    { parent, index },
    ...(Array.isArray(content) ? placesIn(content) : []),
  ]);
}

const LENGTHS: readonly ((right: number) => Buffer)[] = [
  (right) => lengthOf(right + 1),
  (right) => lengthOf(Math.max(0, right - 1)),
  (right) => lengthOf(right, 4),
  (right) => lengthOf(right, 2),
  () => Buffer.of(0x80),
  () => Buffer.from("84ffffffff", "hex"),
  () => Buffer.from("887fffffffffffffff", "hex"),
];
const TAGS = [0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x0c, 0x13, 0x17, 0x18, 0x30, 0x31, 0xa0, 0xa1, 0x80, 0x1f, 0x24];
const CONTENTS = ["", "00", "ff", "80", "0080", "00ffffffffffffffffff", "01", "8001", "7f", "3000"].map((hex) =>
  Buffer.from(hex, "hex"),
);

function edit(nodes: Node[], chance: Chance): void {
  const places = placesIn(nodes);
  const { parent, index } = chance.pick(places);
  const node = parent[index]!;
  const other = chance.pick(places);
  const copy = other.parent[other.index]!;
  const edits: readonly (() => void)[] = [
    () => void Object.assign(node, { length: chance.pick(LENGTHS) }),
    () => void Object.assign(node, { tag: chance.pick(TAGS) }),
    () => void Object.assign(node, { content: chance.pick(CONTENTS) }),
    () => void parent.splice(index, 1),
    () => void parent.splice(index, 0, node),
    () => void parent.splice(index, 1, { tag: copy.tag, content: Buffer.concat([written(copy)]) }),
    () => void parent.reverse(),
    () => {
      const inside = Array.isArray(node.content) ? Buffer.concat(node.content.map(written)) : node.content;
      node.content = mutateBytes(inside, chance, inside);
    },
    () => {
      for (let depth = chance.pick([1, 20, 2000]); depth > 0; depth -= 1) {
        node.content = written({ tag: node.tag, content: node.content });
        if (node.content.length > 2 ** 16) return;
      }
    },
  ];
  chance.pick(edits)();
}

export const mutateDer: Mutator = (bytes, chance, other) => {
  const nodes = read(bytes);
  if (nodes === undefined || nodes.length === 0) return mutateBytes(bytes, chance, other);
  edit(nodes, chance);
  return Buffer.concat(nodes.map(written));
};
