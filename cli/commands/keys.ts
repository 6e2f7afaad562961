import { existsSync } from "node:fs";
import { SealaneError } from "../../lib/finding.js";
import { writeNewFile } from "../../lib/io/atomic.js";
import { PUBLIC_KEY_FORMATS, publicKeyText } from "../../lib/manifest/foreign.js";
import { newKeyPair, type PublicKey, readPublicKey } from "../../lib/manifest/keys.js";
import { command } from "../command.js";
import { openPublicKey } from "../key-file.js";
import { newPassphrase, passphraseOption } from "../passphrase.js";
import { printJson, printLine } from "../ui.js";

const publicName = (file: string): string => `${file.replace(/\.pem$/, "")}.pub.pem`;

function print(key: PublicKey, more: object, json: boolean): void {
  const hex = Buffer.from(key.bytes).toString("hex");
  if (json) printJson({ schema: "sealane-key/1", keyid: key.keyId, public: hex, ...more });
  else printLine(`key id      ${key.keyId}\npublic key  ${hex}`);
}

interface NewOptions {
  readonly json: boolean;
  readonly out: string | undefined;
  readonly encrypt: boolean;
  readonly "passphrase-fd": number | undefined;
}

async function makeKey({ out, encrypt, json, "passphrase-fd": descriptor }: NewOptions): Promise<number> {
  if (out === undefined) throw new SealaneError("E_USAGE", "keys new needs --out", { at: "keys new" });
  if (!encrypt && descriptor !== undefined) {
    throw new SealaneError(
      "E_USAGE",
      "--passphrase-fd goes with --encrypt: without it the key would not be encrypted",
      {
        at: "keys new",
      },
    );
  }
  const publicFile = publicName(out);
  // Before the private key is written, so that no key is left without its other half; and before anyone types.
  for (const file of [out, publicFile]) {
    if (existsSync(file)) throw new SealaneError("E_EXISTS", `${file} is there already`, { at: file });
  }
  const { privatePem, publicPem } = newKeyPair(encrypt ? await newPassphrase(out, descriptor) : undefined);
  writeNewFile(out, privatePem, 0o600);
  writeNewFile(publicFile, publicPem);
  const files = { private_file: out, public_file: publicFile, encrypted: encrypt };
  print(readPublicKey(publicPem, publicFile), files, json);
  if (!json) printLine(`written     ${out} (private: keep it to yourself), ${publicFile}`);
  return 0;
}

export default command({
  positionals: "<action> [file]",
  examples: [
    ["$0 keys new --out author.pem", "a key pair: author.pem (private, mode 0600) and author.pub.pem"],
    ["$0 keys new --out author.pem --encrypt", "the private key under a passphrase, asked for twice"],
    ["$0 keys show author.pub.pem", "its key id"],
    ["$0 keys export author.pub.pem --format minisign", "the public key as minisign reads it"],
    ["$0 keys export author.pub.pem --format vkey --name example.com/ada", "as readers of signed notes read it"],
  ],
  options: (yargs) =>
    passphraseOption(
      yargs
        .positional("action", {
          choices: ["new", "show", "export"] as const,
          demandOption: true,
          describe: "make a key pair, show a key, or print a public key in another tool's form",
        })
        .positional("file", { type: "string", describe: "show, export: the key file, private or public" })
        .option("out", { type: "string", describe: "new: the private key's file; the public one stands beside it" })
        .option("encrypt", { type: "boolean", default: false, describe: "new: ask for a passphrase" })
        .option("format", { choices: Object.keys(PUBLIC_KEY_FORMATS), describe: "export: which tool's form" })
        .option("name", { type: "string", describe: "export: the key's name, where the form has room for one" }),
    ),
  async run(options) {
    const { action, file, format, json } = options;
    const idle = {
      new: ["format", "name"] as const,
      show: ["out", "format", "name"] as const,
      export: ["out"] as const,
    }[action].find((name) => options[name] !== undefined);
    if (idle || (options.encrypt && action !== "new")) {
      throw new SealaneError("E_USAGE", `keys ${action} has no use for --${idle ?? "encrypt"}`, {
        at: `keys ${action}`,
      });
    }
    if (action === "new") {
      if (file !== undefined) throw new SealaneError("E_USAGE", "keys new names its file with --out", { found: file });
      return makeKey(options);
    }
    if (file === undefined)
      throw new SealaneError("E_USAGE", `keys ${action} needs a key file`, { at: `keys ${action}` });
    if (action === "export" && format === undefined) {
      throw new SealaneError("E_USAGE", "keys export needs --format", {
        expected: Object.keys(PUBLIC_KEY_FORMATS).join(", "),
      });
    }
    const key = await openPublicKey(file, options["passphrase-fd"]);
    if (format === undefined) {
      print(key, {}, json);
      return 0;
    }
    const text = publicKeyText(format, key, options.name);
    if (json) print(key, { format, text }, json);
    else process.stdout.write(text);
    return 0;
  },
});
