import { LIMITS } from "../../lib/bytes/limits.js";
import { SealaneError } from "../../lib/finding.js";
import { writeNewFile } from "../../lib/io/atomic.js";
import { readFile } from "../../lib/io/read-file.js";
import { readPublicKey } from "../../lib/manifest/keys.js";
import { parseTrust, trustOf } from "../../lib/manifest/trust.js";
import { command } from "../command.js";
import { printJson, printLine } from "../ui.js";

export default command({
  positionals: "<action>",
  examples: [
    [
      '$0 trust init --key author.pub.pem --owner "Ada" --out trust.json',
      "a trust file in which one key may sign lanes",
    ],
  ],
  options: (yargs) =>
    yargs
      .positional("action", { choices: ["init"] as const, demandOption: true, describe: "make a trust file" })
      .option("key", { type: "string", demandOption: true, describe: "the public key that is trusted, PEM" })
      .option("owner", { type: "string", demandOption: true, describe: "whose key it is, for people" })
      .option("lanes", { type: "string", default: "*", describe: "a lane id, or a prefix ended by *" })
      .option("out", { type: "string", demandOption: true, describe: "the new trust file" }),
  async run(options) {
    if (!/^[a-z0-9.-]*\*?$/.test(options.lanes) || options.lanes === "") {
      throw new SealaneError("E_USAGE", "--lanes is neither a lane id nor a prefix ended by *", {
        found: options.lanes,
      });
    }
    const key = readPublicKey(readFile(options.key, LIMITS.documentBytesMax).toString("utf8"), options.key);
    const text = `${JSON.stringify(trustOf(key, options.owner, options.lanes), null, 2)}\n`;
    parseTrust(Buffer.from(text), options.out);
    writeNewFile(options.out, text);
    if (options.json) printJson({ schema: "sealane-trust-written/1", file: options.out, keyid: key.keyId });
    else printLine(`${options.out}: lanes ${options.lanes} may be signed by ${key.keyId} (${options.owner})`);
    return 0;
  },
});
