/** Requests to the agent of a session that runs, which may be about to be followed by another one. */
import type { BrowserClaim } from '../../../proto/session/browser-claim.ts'
import type { NodeVerb, NodeVerbs } from '../../../proto/browser-host/node.ts'
import type { Membership } from '../../../runtime/cluster/membership.ts'
import {
  askNode,
  isUnserved,
  type NodeRequester,
} from '../../../runtime/browser-host/node-client.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import { retry } from '../../../runtime/lib/retry.ts'
import { BusTimeout } from '../../../runtime/store/bus.ts'
import { gatewaySessionLimits } from '../limits.ts'

export interface AskAgentOptions {
  readonly requester: NodeRequester
  readonly clock: Clock
  readonly membership: Pick<Membership, 'onDead'>
  readonly agent: Pick<BrowserClaim, 'nodeId' | 'incarnation'>
  readonly timeoutMs: number
}

/**
 * Like {@link askNode}, and waits a moment for the agent's successor if none serves the host. If the
 * agent dies with the request, its successor is asked at once whether it knows it.
 */
export async function askAgent<V extends NodeVerb>(
  { requester, clock, membership, agent, timeoutMs }: AskAgentOptions,
  verb: V,
  request: NodeVerbs[V]['request'],
): Promise<NodeVerbs[V]['reply']> {
  const { nodeId, incarnation } = agent
  const gone = new AbortController()
  const unwatch = membership.onDead((host) => {
    if (host.incarnation === incarnation) gone.abort(new BusTimeout(nodeId, timeoutMs))
  })
  const rules = {
    withinMs: gatewaySessionLimits.agentBackMs,
    waitMs: gatewaySessionLimits.agentBackRetryMs,
    isRetryable: isUnserved,
  }
  const signals = { agentGone: gone.signal }
  try {
    return await retry(clock, rules, () =>
      askNode(requester, nodeId, verb, request, timeoutMs, signals),
    )
  } finally {
    unwatch()
  }
}
