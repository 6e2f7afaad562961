import type { ClaimsReport } from "../../schemas/index.js";

export type NotCheckableReason = NonNullable<ClaimsReport["claims"][number]["reason"]>;

/** Why a claim can be neither confirmed nor contradicted. */
export class NotCheckable extends Error {
  readonly reason: NotCheckableReason;

  constructor(reason: NotCheckableReason, why: string) {
    super(why);
    this.name = "NotCheckable";
    this.reason = reason;
  }
}
