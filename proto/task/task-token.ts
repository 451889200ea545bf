/**
 * The token with which a task's agent connects to `/mcp`: a grant for that task's tools, with a
 * MAC. It is stored nowhere, valid for nothing else, and useless once the agent is no longer
 * served.
 */
import { createHmac } from 'node:crypto'
import { isId } from '../ids.ts'
import { equalInConstantTime } from '../accounts/key.ts'

export interface TaskGrant {
  readonly taskId: string
  readonly sessionId: string
  /**
   * Epoch of the task's actor when the agent was started; an agent of an older epoch is not served.
   */
  readonly epoch: number
  readonly expiresAtMs: number
}

const prefix = 'ttk_'

export const isTaskToken = (text: string): boolean => text.startsWith(prefix)

export function taskToken(secret: string, grant: TaskGrant): string {
  const { taskId, sessionId, epoch, expiresAtMs } = grant
  const right = [taskId, sessionId, epoch.toString(36), expiresAtMs.toString(36)].join('.')
  return `${prefix}${right}.${mac(secret, right)}`
}

/** The grant of a token; undefined if the token is invalid or expired. */
export function readTaskToken(text: string, secret: string, nowMs: number): TaskGrant | undefined {
  if (!isTaskToken(text)) return undefined
  const parts = text.slice(prefix.length).split('.')
  const [taskId = '', sessionId = '', epochText = '', expiry = '', given = ''] = parts
  if (!equalInConstantTime(given, mac(secret, [taskId, sessionId, epochText, expiry].join('.'))))
    return undefined
  const epoch = Number.parseInt(epochText, 36)
  const expiresAtMs = Number.parseInt(expiry, 36)
  const isWhole = isId('tsk', taskId) && isId('ses', sessionId) && Number.isInteger(epoch)
  return isWhole && expiresAtMs > nowMs ? { taskId, sessionId, epoch, expiresAtMs } : undefined
}

function mac(secret: string, right: string): string {
  return createHmac('sha256', secret).update(`task:${right}`).digest('base64url')
}
