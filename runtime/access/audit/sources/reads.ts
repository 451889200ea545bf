/** Records of read access. Reads change nothing, so they are not part of the chain. */
import { defined } from '../../../../proto/defined.ts'
import type { Author } from '../../../../proto/access/author.ts'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import { subjects } from '../../../../proto/subjects.ts'
import type { Timer } from '../../../lib/clock.ts'
import { StreamOutbox, type StreamOutboxOptions } from '../../../store/stream-outbox.ts'
import { clientOfSubject } from './sources.ts'

export interface RecordRead {
  /** The client whose records were read. */
  readonly client: string
  /** Wall-clock ms. */
  readonly at: number
  readonly by: Pick<Author, 'kind' | 'id'>
  readonly requestId: string
  readonly grantId?: string
  readonly needId?: string
  readonly tokenId?: string
  readonly area: string
  /** Ids of the records shown; if there are too many, the request's digest is stored instead. */
  readonly ids?: readonly string[]
  readonly queryDigest?: string
  /** Number of records shown. */
  readonly count: number
}

/** The access through which records were read. */
interface ReadThrough extends Pick<RecordRead, 'grantId' | 'needId' | 'tokenId'> {
  readonly clientId: string
  readonly author: Author
  readonly requestId?: string
}

export function recordReadOf(
  { clientId, author, grantId, needId, tokenId, requestId }: ReadThrough,
  area: string,
  ids: readonly string[],
  at: number,
): RecordRead {
  return {
    client: clientId,
    at,
    by: { kind: author.kind, id: author.id },
    requestId: requestId ?? author.requestId ?? '',
    ...defined({ grantId, needId, tokenId }),
    area,
    ids,
    count: ids.length,
  }
}

export class ReadLog {
  readonly #clock: StreamOutboxOptions['clock']
  readonly #outbox: StreamOutbox
  readonly #waiting = new Map<string, RecordRead[]>()
  #timer: Timer | undefined

  constructor(options: Omit<StreamOutboxOptions, 'what'>) {
    this.#clock = options.clock
    this.#outbox = new StreamOutbox({ ...options, what: 'reads' })
  }

  get lost(): number {
    return this.#outbox.lost
  }

  add(read: RecordRead): void {
    const client = clientOfSubject(read.client)
    const waiting = this.#waiting.get(client) ?? []
    this.#waiting.set(client, waiting)
    waiting.push({ ...read, ...(read.ids && { ids: read.ids.slice(0, limits.readIdsPerEntry) }) })
    if (waiting.length >= limits.readsPerMessage) this.#send(client, waiting)
    else this.#timer ??= this.#clock.timer(limits.readFlushMs, () => this.#flush())
  }

  async close(): Promise<void> {
    this.#flush()
    await this.#outbox.close()
  }

  #flush(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    for (const [client, waiting] of this.#waiting) this.#send(client, waiting)
  }

  #send(client: string, waiting: readonly RecordRead[]): void {
    this.#waiting.delete(client)
    this.#outbox.send(subjects.reads(client), waiting)
  }
}
