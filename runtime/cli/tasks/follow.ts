/** Follows one task over `/ws`, from its first record to its last. */
import { WebSocket } from 'undici'
import { isTaskOver, type StateRecord, type TaskRecord } from '../../../proto/task/task.ts'
import { CommandFailed } from '../command.ts'
import { serviceBase, serviceKey } from '../service-base.ts'

/**
 * Resolves with the last state, or undefined if `signal` aborts first. Throws {@link CommandFailed}
 * if the connection is lost.
 */
export function followTask(
  id: string,
  show: (record: TaskRecord) => void,
  signal: AbortSignal,
): Promise<StateRecord | undefined> {
  const query = new URLSearchParams({ taskId: id, since: '0', since_state: '0' })
  const url = `${serviceBase().replace(/^http/, 'ws')}/ws?${query}`
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { headers: { 'service-api-key': serviceKey() } })
    const lost = (why: string) => {
      const text = `The connection to ${serviceBase()} was lost (${why}). Follow the task again with \`npm run troupe -- tasks watch ${id}\`.`
      reject(new CommandFailed(text))
    }
    socket.addEventListener('message', ({ data }) => {
      const record = JSON.parse(String(data)) as TaskRecord
      show(record)
      if (record.type !== 'state' || !isTaskOver(record.state)) return
      resolve(record)
      socket.close()
    })
    socket.addEventListener('error', ({ message }) => lost(message))
    socket.addEventListener('close', ({ code, reason }) => lost(reason || `code ${code}`))
    signal.addEventListener('abort', () => {
      resolve(undefined)
      socket.close()
    })
  })
}
