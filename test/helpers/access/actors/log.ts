/** Entries in the logs of access, as actors write them, for tests of what is derived from them. */
import { defined } from '../../../../proto/defined.ts'
import type { Author } from '../../../../proto/access/author.ts'
import { newAccessId, type ClientId } from '../../../../proto/access/ids.ts'
import { encode } from '../../../../proto/codec.ts'
import type { ActorMessage } from '../../../../proto/envelope.ts'
import { subjects } from '../../../../proto/subjects.ts'
import type { LogEntry } from '../../../../runtime/actor/log.ts'
import type { LogStore } from '../../../../runtime/store/store.ts'

export const staffAuthor: Author = {
  kind: 'staff',
  id: newAccessId('person'),
  roles: ['admin'],
  requestId: 'req_1',
}

export interface Happening {
  readonly kind: string
  readonly id: string
  readonly client: ClientId
  readonly n: number
  readonly event: ActorMessage
  readonly at?: number
  readonly context?: Readonly<Record<string, unknown>>
}

export function logEntry({ kind, id, client, n, event, at = 1_000, context }: Happening): LogEntry {
  const state = { tenant: client, version: n, createdBy: staffAuthor, updatedBy: staffAuthor }
  return {
    v: 1,
    kind,
    id,
    n,
    epoch: 1,
    writer: 'test',
    at,
    event,
    snapshot: { value: 'active', context: { ...state, ...context } },
    pending: [],
    requests: [],
  }
}

/** Needs of some clients, each opened and then extended repeatedly. */
export class AccessLogs {
  readonly #log: LogStore
  readonly #actors = new Map<string, { readonly id: string; n: number; seq: number }>()

  constructor(log: LogStore) {
    this.#log = log
  }

  async happen(client: ClientId, at?: number): Promise<void> {
    const actor = this.#actors.get(client) ?? { id: newAccessId('need'), n: 0, seq: 0 }
    this.#actors.set(client, actor)
    const n = actor.n + 1
    const event =
      n === 1
        ? { type: 'created' }
        : { type: 'extend', by: staffAuthor, reason: 'it takes longer', expectedEndAtMs: n }
    const entry = logEntry({
      kind: 'need',
      id: actor.id,
      client,
      n,
      event,
      ...defined({ at }),
    })
    actor.seq = await this.#log.append(subjects.log('need', actor.id), encode(entry), actor.seq)
    actor.n = n
  }
}
