import { SealaneError } from "../finding.js";
import { type Endpoint, tokenF1 } from "./endpoint.js";

/** Every grading endpoint. To add one: one file, one line here. */
export const ENDPOINTS: readonly Endpoint[] = [tokenF1];

/** The endpoint of an id; throws E_UNKNOWN with the list of those there are. */
export function endpointOf(id: string): Endpoint {
  const endpoint = ENDPOINTS.find((candidate) => candidate.id === id);
  if (endpoint) return endpoint;
  throw new SealaneError("E_UNKNOWN", `there is no endpoint '${id}'`, {
    expected: ENDPOINTS.map((candidate) => candidate.id).join(" | "),
    found: id,
  });
}
