/** An archiver over a store in memory and on virtual time, and copies of its archive. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { ActorView } from '../../../proto/actor.ts'
import { encode } from '../../../proto/codec.ts'
import { buckets, ownerKey, subjects, viewKey } from '../../../proto/subjects.ts'
import { Archiver, type ArchiverOptions } from '../../../runtime/actor/archive/archiver.ts'
import { HistoryFeed } from '../../../runtime/actor/archive/feed.ts'
import { FileCipher } from '../../../runtime/actor/archive/file-cipher.ts'
import { facet, type ArchivedKind } from '../../../runtime/actor/archive/archived-kind.ts'
import { History } from '../../../runtime/actor/archive/history.ts'
import { SimProcess, Timeline } from '../../sim/world/clock.ts'
import { entriesOf } from '../../../runtime/store/entries-of.ts'
import { MemoryStore } from './memory-store.ts'

export const log = pino({ level: 'silent' })

export interface StagedView extends ActorView {
  readonly state: string
  readonly text: string
  readonly tags?: readonly string[]
  readonly createdMs?: number
  readonly key?: string
  readonly spent?: number
}

export function archiveStage(
  options: Partial<ArchiverOptions> & { readonly store?: MemoryStore } = {},
) {
  const { store = new MemoryStore() } = options
  const timeline = new Timeline()
  const { clock } = new SimProcess(timeline, 'actors')
  const forgotten: string[] = []
  const archiver = new Archiver({
    clock,
    log,
    kinds: ['task', 'session'].map((kind) => ({
      protocol: { kind, verbs: {} },
      forget: async (id: string) => void forgotten.push(id),
    })),
    handledUntilMs: () => clock.now(),
    kept: { keptMs: Infinity, keptPerTenant: 1_000_000, keptBytes: Infinity },
    ...options,
    store,
  })
  /** An actor that ended just now, or lives. */
  const add = async (kind: string, tenant: string, id: string, more: object = {}) => {
    const view = {
      id,
      tenant,
      state: 'done',
      text: 'a secret goal',
      endedAtMs: clock.now(),
      ...more,
    }
    await store.log.append(subjects.log(kind, id), encode({ n: 1 }), 0)
    await store.bucket(buckets.owners).put(ownerKey(kind, id), encode({}))
    await store.bucket(buckets.views).put(viewKey(kind, tenant, id), encode({ n: 1, view }))
  }
  const held = async () => {
    const entries = await entriesOf(store.bucket(buckets.views))
    return entries.map(({ key }) => key).sort()
  }
  return { store, timeline, clock, archiver, forgotten, add, held }
}

const kind: ArchivedKind = {
  statusOf: ({ state }: StagedView) => state,
  createdMsOf: ({ createdMs = 0 }: StagedView) => createdMs,
  facetsOf: ({ state, tags = [] }: StagedView) => [
    facet('status', state),
    ...tags.map((tag) => facet('tag', tag)),
  ],
  useOf: ({ tenant, createdMs = 0, key = 'a key', spent = 0 }: StagedView) => ({
    ...{ tenant, key, day: new Date(createdMs).toISOString().slice(0, 10) },
    figures: { actors: 1, spent },
  }),
}
export const kinds = { session: kind, task: kind }

export function historyFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'history-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  const cipher = new FileCipher('a secret', 'a test')
  const open = () => new History({ folder, cipher, kinds })
  return { folder, remove, open }
}

/** A feed that reads only when it is told to. */
export async function feedOf(
  { store, clock }: Pick<ReturnType<typeof archiveStage>, 'store' | 'clock'>,
  history: History,
  created = 'first',
) {
  const span = async () => ({ created, ...store.archiveSpan() })
  const feed = new HistoryFeed({ archive: store.archive, span, history, clock, log })
  await feed.catchUp()
  return feed
}
