/**
 * How an agent reaches the tools of its task: through which gateway, with which token, over which
 * transport.
 */
import type { McpServer } from '@agentclientprotocol/sdk'
import { taskToken } from '../../../proto/task/task-token.ts'
import type { Membership } from '../../../runtime/cluster/membership.ts'
import type { ServiceSecret } from '../../../runtime/accounts/keys/service-secret.ts'
import { programPath } from '../../../runtime/process/programs.ts'
import { ModelFailure, type ModelTask } from '../models/model.ts'
import { serverName } from './session/permission.ts'

export interface McpAccess {
  /** Base URL of a gateway. */
  readonly base: string
  /** Given to the agent only. */
  readonly token: string
}

export interface McpAccessDeps {
  readonly membership: Pick<Membership, 'available'>
  /** Gateways on the same machine are reached on loopback. */
  readonly machine: string
  readonly serviceSecret: ServiceSecret
}

/** Throws a {@link ModelFailure} if no gateway is reachable from here. */
export function mcpAccessFor(
  task: ModelTask,
  { membership, machine, serviceSecret }: McpAccessDeps,
): McpAccess {
  const gateways = membership.available('gateway')
  const near = gateways.find((host) => host.machine === machine && host.url !== undefined)
  const far = gateways.find((host) => host.publicUrl !== undefined)
  const base = near?.url ?? far?.publicUrl
  if (base === undefined) {
    const text = 'This host cannot reach a gateway: run one here, or set PUBLIC_URL of a gateway.'
    throw new ModelFailure('overloaded', text)
  }
  const { id: taskId, sessionId, epoch, expiresAtMs } = task
  return { base, token: taskToken(serviceSecret.text, { taskId, sessionId, epoch, expiresAtMs }) }
}

/** Agents that do not support HTTP start a program that speaks stdio. */
export function mcpServerFor({ base, token }: McpAccess, speaksHttp: boolean): McpServer {
  if (speaksHttp) {
    const headers = [{ name: 'Authorization', value: `Bearer ${token}` }]
    return { type: 'http', name: serverName, url: `${base}/mcp`, headers }
  }
  return {
    name: serverName,
    command: process.execPath,
    args: [programPath('troupe-mcp')],
    env: [
      { name: 'SVC_BASE', value: base },
      { name: 'SVC_TASK_TOKEN', value: token },
    ],
  }
}
