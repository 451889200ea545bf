/** Requests to the agent of a session that runs, which may be about to be followed by another one. */
import { ServiceError } from '../../../proto/errors.ts'
import type { NodeVerb, NodeVerbs } from '../../../proto/browser-host/node.ts'
import { askNode, type NodeRequester } from '../../../runtime/browser-host/node-client.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import { retry } from '../../../runtime/lib/retry.ts'
import { NoResponders } from '../../../runtime/store/bus.ts'
import { gatewaySessionLimits } from '../limits.ts'

export interface AskAgentOptions {
  readonly requester: NodeRequester
  readonly clock: Clock
  readonly nodeId: string
  readonly timeoutMs: number
}

/** Like {@link askNode}, and waits a moment for the agent's successor if none serves the host. */
export function askAgent<V extends NodeVerb>(
  { requester, clock, nodeId, timeoutMs }: AskAgentOptions,
  verb: V,
  request: NodeVerbs[V]['request'],
): Promise<NodeVerbs[V]['reply']> {
  const rules = {
    withinMs: gatewaySessionLimits.agentBackMs,
    waitMs: gatewaySessionLimits.agentBackRetryMs,
    isRetryable: isUnserved,
  }
  return retry(clock, rules, () => askNode(requester, nodeId, verb, request, timeoutMs))
}

/** Nothing was begun. */
const isUnserved = (error: unknown): boolean =>
  error instanceof ServiceError && error.cause instanceof NoResponders
