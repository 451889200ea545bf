/**
 * Finds out whether an id that was not found belongs to another client, for the audit. The answer
 * to the caller does not depend on it and does not wait for it, so its timing reveals nothing.
 */
import type { Logger } from 'pino'
import { areaKeys } from '../../../proto/access/areas/areas.ts'
import { isRecordId } from '../../../proto/access/areas/prefixes.ts'
import { readAuditId } from '../../../proto/access/audit/audit.ts'
import { isAccessId, platformTenant } from '../../../proto/access/ids.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { buckets } from '../../../proto/subjects.ts'
import { SerialQueue } from '../../../runtime/lib/serial-queue.ts'
import type { LogStore } from '../../../runtime/store/store.ts'
import { chainKinds, type AccessChain } from './chain.ts'

export interface OtherClientsDeps {
  readonly chain: Pick<AccessChain, 'get' | 'list'>
  /** The changes of the bucket `records`, under subjects `$KV.records.<client>.<area>.<id>`. */
  readonly recordChanges: Pick<LogStore, 'read'>
  readonly log: Logger
}

export class OtherClients {
  readonly #deps: OtherClientsDeps
  readonly #lookups = new SerialQueue()

  constructor(deps: OtherClientsDeps) {
    this.#deps = deps
  }

  /** Calls `found` later if the id belongs to a client other than `own`. */
  whenFound(own: string, id: string, found: () => void): void {
    // Limits the lookups of all callers together; each caller also has a rate limit.
    if (this.#lookups.size >= limits.otherClientLooksWaiting) return
    void this.#lookups.run(async () => {
      try {
        const client = await this.#clientOf(id)
        if (client !== undefined && client !== own && client !== platformTenant) found()
      } catch (err) {
        this.#deps.log.warn({ err }, 'access: not known whether an id is of another client')
      }
    })
  }

  async #clientOf(id: string): Promise<string | undefined> {
    const { chain } = this.#deps
    const entity = entityOf(chain, id)
    if (entity) return entity.tenant
    if (isAccessId('token', id)) {
      const hasIt = ({ tokens }: { readonly tokens: readonly { readonly id: string }[] }) =>
        tokens.some((token) => token.id === id)
      return chain.list('grant').find(hasIt)?.tenant
    }
    const entry = readAuditId(id)
    return entry ? chain.get('client', entry.client)?.tenant : this.#clientOfRecord(id)
  }

  async #clientOfRecord(id: string): Promise<string | undefined> {
    const area = areaKeys.find((each) => isRecordId(each, id))
    if (area === undefined) return undefined
    const subject = `$KV.${buckets.records}.*.${area}.${id}`
    for await (const record of this.#deps.recordChanges.read(subject)) {
      return record.subject.split('.')[2]
    }
    return undefined
  }
}

/** The governed entity with this id, if there is one. */
export function entityOf(chain: Pick<AccessChain, 'get'>, id: string) {
  const kind = chainKinds.find((each) => isAccessId(each, id))
  const view = kind && chain.get(kind, id)
  return view && { kind, id, tenant: view.tenant }
}
