import { existsSync } from "node:fs";
import { LIMITS } from "../../lib/bytes/limits.js";
import { SealaneError } from "../../lib/finding.js";
import { writeNewFile } from "../../lib/io/atomic.js";
import { readFile } from "../../lib/io/read-file.js";
import { newKeyPair, type PublicKey, readPublicKey } from "../../lib/manifest/keys.js";
import { command } from "../command.js";
import { printJson, printLine } from "../ui.js";

const publicName = (file: string): string => `${file.replace(/\.pem$/, "")}.pub.pem`;

function print(key: PublicKey, files: object, json: boolean): void {
  const hex = Buffer.from(key.bytes).toString("hex");
  if (json) printJson({ schema: "sealane-key/1", keyid: key.keyId, public: hex, ...files });
  else printLine(`key id      ${key.keyId}\npublic key  ${hex}`);
}

export default command({
  positionals: "<action> [file]",
  examples: [
    ["$0 keys new --out author.pem", "a key pair: author.pem (private, mode 0600) and author.pub.pem"],
    ["$0 keys show author.pub.pem", "its key id"],
  ],
  options: (yargs) =>
    yargs
      .positional("action", {
        choices: ["new", "show"] as const,
        demandOption: true,
        describe: "make a key pair, or show a key",
      })
      .positional("file", { type: "string", describe: "show: the key file, private or public" })
      .option("out", { type: "string", describe: "new: the private key's file; the public one stands beside it" }),
  async run(options) {
    if (options.action === "show") {
      if (options.file === undefined)
        throw new SealaneError("E_USAGE", "keys show needs a key file", { at: "keys show" });
      print(
        readPublicKey(readFile(options.file, LIMITS.documentBytesMax).toString("utf8"), options.file),
        {},
        options.json,
      );
      return 0;
    }
    if (options.out === undefined) throw new SealaneError("E_USAGE", "keys new needs --out", { at: "keys new" });
    const publicFile = publicName(options.out);
    // Before the private key is written, so that no key is left without its other half.
    if (existsSync(publicFile))
      throw new SealaneError("E_EXISTS", `${publicFile} is there already`, { at: publicFile });
    const { privatePem, publicPem } = newKeyPair();
    writeNewFile(options.out, privatePem, 0o600);
    writeNewFile(publicFile, publicPem);
    print(readPublicKey(publicPem, publicFile), { private_file: options.out, public_file: publicFile }, options.json);
    if (!options.json) printLine(`written     ${options.out} (private: keep it to yourself), ${publicFile}`);
    return 0;
  },
});
