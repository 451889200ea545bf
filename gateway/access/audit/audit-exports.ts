/**
 * Exports the audit as a file, streamed as it is read: NDJSON, which `troupe audit verify --export`
 * checks against the chains, or CSV (RFC 4180) without cells that a spreadsheet would read as
 * formulas.
 */
import { Readable } from 'node:stream'
import { stringify } from 'csv-stringify/sync'
import type { AuditCheckpoint, AuditEntry } from '../../../proto/access/audit/audit.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { subjects } from '../../../proto/subjects.ts'
import type { TextSigner } from '../../../runtime/accounts/seal/signer.ts'
import { decodeCheckpoint } from '../../../runtime/access/audit/chain/checkpoints.ts'
import { decodeEntry } from '../../../runtime/access/audit/chain/entry.ts'
import type { GatewayAudit } from '../../../runtime/access/audit/open.ts'
import { ExportSum, signedClosingLine } from '../../../runtime/access/audit/export/closing-line.ts'
import { publicEntry } from '../../../runtime/access/audit/public-entry.ts'
import { toCsvCell } from '../../../runtime/access/transfer/csv-cells.ts'
import type { HttpReply } from '../../server/http.ts'

export const exportFormats = ['ndjson', 'csv'] as const

export interface AuditExport {
  /** The chain of this client; undefined: all chains. */
  readonly client: string | undefined
  readonly matches: (entry: AuditEntry) => boolean
  /** Whether `matches` may leave entries out. */
  readonly isFiltered: boolean
  readonly format: (typeof exportFormats)[number]
}

const types = { ndjson: 'application/x-ndjson', csv: 'text/csv; charset=utf-8' } as const

type Shown = ReturnType<typeof publicEntry>
const columns: readonly (readonly [string, (entry: Shown) => unknown])[] = [
  ...(['client_id', 'n', 'at', 'action', 'outcome', 'reason'] as const).map(plain),
  ['actor_kind', ({ actor }) => actor.kind],
  ['actor_id', ({ actor }) => actor.id],
  ['object_kind', ({ object }) => object.kind],
  ['object_id', ({ object }) => object.id],
  ['object_version', ({ object }) => object.version],
  ...(['need_id', 'grant_id', 'scope_id', 'access_request_id', 'token_id'] as const).map(plain),
  ...(['change_id', 'request_id', 'route', 'net', 'count', 'changes'] as const).map(plain),
  ...(['changed_fields', 'digest', 'self_reviewed', 'id', 'prev', 'hash'] as const).map(plain),
]

function plain(name: keyof Shown) {
  return [name, (entry: Shown) => entry[name]] as const
}

export class AuditExports {
  readonly #store: GatewayAudit['store']
  readonly #signer: TextSigner
  #open = 0

  constructor({ store, signer }: Pick<GatewayAudit, 'store' | 'signer'>) {
    this.#store = store
    this.#signer = signer
  }

  /** Throws `busy` if too many exports are running. */
  open(asked: AuditExport): HttpReply {
    if (this.#open >= limits.auditExportsAtOnce) {
      throw new ServiceError('busy', 'Too many audit exports are running; try again in a minute.')
    }
    this.#open++
    const lines = asked.format === 'csv' ? this.#csv(asked) : this.#ndjson(asked)
    const stream = Readable.from(lines, { objectMode: false })
    stream.once('close', () => this.#open--)
    const file = `audit-${asked.client ?? 'all'}.${asked.format}`
    return {
      status: 200,
      headers: {
        'content-type': types[asked.format],
        'content-disposition': `attachment; filename="${file}"`,
        'cache-control': 'no-store',
      },
      body: { stream },
    }
  }

  async *#ndjson(asked: AuditExport): AsyncIterable<string> {
    const sum = new ExportSum()
    const add = (value: object, place?: AuditEntry) => {
      const line = JSON.stringify(value)
      sum.add(line, place)
      return `${line}\n`
    }
    for await (const entry of this.#entries(asked)) yield add(publicEntry(entry), entry)
    for (const client of sum.clients) {
      const checkpoint = await this.#checkpoint(client)
      if (checkpoint) yield add(checkpoint)
    }
    const facts = sum.facts({ at: new Date().toISOString(), filtered: asked.isFiltered })
    yield `${JSON.stringify(signedClosingLine(facts, this.#signer))}\n`
  }

  async *#csv(asked: AuditExport): AsyncIterable<string> {
    const line = (cells: readonly string[]) => stringify([cells], { record_delimiter: '\r\n' })
    yield line(columns.map(([name]) => name))
    for await (const entry of this.#entries(asked)) {
      const shown = publicEntry(entry)
      yield line(columns.map(([, of]) => toCsvCell(of(shown))))
    }
  }

  async *#entries({ client, matches }: AuditExport): AsyncIterable<AuditEntry> {
    const subject = client === undefined ? subjects.auditAll : subjects.audit(client)
    for await (const { data } of this.#store.audit.read(subject)) {
      const entry = decodeEntry(data)
      if (!entry) throw new Error(`the audit has a message that is no entry in ${subject}`)
      if (matches(entry)) yield entry
    }
  }

  async #checkpoint(client: string): Promise<AuditCheckpoint | undefined> {
    const last = await this.#store.checkpoints.last(subjects.checkpoint(client))
    return last && decodeCheckpoint(last)
  }
}
