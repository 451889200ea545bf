/** The archive for a gateway. */
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { streams } from '../../../proto/subjects.ts'
import { makePrivateFolder } from '../../lib/files/make-folder.ts'
import { settleWithin, type Clock } from '../../lib/clock.ts'
import type { NatsStore } from '../../store/nats/buckets.ts'
import { actorLimits } from '../limits.ts'
import { HistoryFeed } from './feed.ts'
import { FileCipher } from './file-cipher.ts'
import { History, type HistoryOptions } from './history.ts'

/** Files of another layout have another name, and so have those of another secret. */
const layout = 'history-2-'

export interface OpenHistoryDeps {
  readonly kinds: HistoryOptions['kinds']
  readonly store: Pick<NatsStore, 'archive' | 'spanOf'>
  readonly config: { readonly DATA_DIR: string }
  /** From which the key of the file is derived. */
  readonly secret: { readonly text: string; readonly id: string }
  readonly clock: Clock
  readonly log: Logger
}

export interface OpenHistory {
  readonly history: History
  readonly feed: Pick<HistoryFeed, 'isComplete'>
  close(): Promise<void>
}

/**
 * LMDB ends the process when it opens a file that is damaged, so each opening leaves a mark while it
 * lasts, and a start that finds the mark of a process that is gone makes the file again.
 */
function openFile(options: HistoryOptions, log: Logger): History {
  const { folder } = options
  makePrivateFolder(folder)
  const failed = readdirSync(folder).some((name) => {
    const [, pid] = markPattern.exec(name) ?? []
    if (pid === undefined) return false
    // In a container, the next process has the same number.
    return pid === `${process.pid}` || !existsSync(`/proc/${pid}`)
  })
  if (failed) {
    log.warn('the copy of the archive could not be opened; it is made again')
    rmSync(folder, { recursive: true, force: true })
    makePrivateFolder(folder)
  }
  const mark = join(folder, `opening-${process.pid}`)
  writeFileSync(mark, '')
  const history = new History(options)
  log.debug({ position: history.position }, 'the copy of the archive is open')
  rmSync(mark, { force: true })
  return history
}

const markPattern = /^opening-(\d+)$/

/** Waits a moment for what is new in the store; the rest comes while the gateway serves. */
export async function openHistory(deps: OpenHistoryDeps): Promise<OpenHistory> {
  const { store, clock, log, config, secret, kinds } = deps
  const models = join(config.DATA_DIR, 'models')
  const name = layout + secret.id
  makePrivateFolder(models)
  for (const other of readdirSync(models)) {
    if (other !== name) rmSync(join(models, other), { recursive: true, force: true })
  }
  const cipher = new FileCipher(secret.text, 'history')
  const history = openFile({ folder: join(models, name), cipher, kinds }, log)
  const span = () => store.spanOf(streams.archive)
  const feed = new HistoryFeed({ archive: store.archive, span, history, clock, log })
  await settleWithin(clock, actorLimits.historyOpenMs, feed.begun)
  return {
    history,
    feed,
    async close() {
      await feed.stop()
      await history.close()
    },
  }
}
