/** The requests and answers of the pages of traced and recorded sessions. */
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Exchange } from '../../proto/browser-host/exchange.ts'
import type { NodeVerbs } from '../../proto/browser-host/node.ts'
import { ServiceError } from '../../proto/errors.ts'
import type { Clock } from '../../runtime/lib/clock.ts'
import { LineFiles } from '../line-files/line-files.ts'
import { NumberedLines } from '../line-files/numbered-lines.ts'
import { pageExchanges } from './exchanges.ts'
import { eventLimits } from './limits.ts'
import type { LoggedBrowser } from './session-events.ts'
import type { PageWatcher } from './watched-pages.ts'

export class SessionExchanges {
  readonly #lines: NumberedLines<Omit<Exchange, 'n'>>

  constructor(
    { DATA_DIR, NODE_ID }: { readonly DATA_DIR: string; readonly NODE_ID: string },
    means: { readonly clock: Clock; readonly log: Logger },
  ) {
    const files = new LineFiles<Exchange>({
      ...means,
      folder: join(DATA_DIR, 'exchanges', NODE_ID),
      allBytes: eventLimits.allBytes,
      fileBytes: eventLimits.exchangesBytes,
      missing: () => new ServiceError('not_found', 'There are no requests of this session.'),
    })
    this.#lines = new NumberedLines({
      ...{ files, ...means },
      writeAfterMs: eventLimits.writeAfterMs,
      linesPerWrite: eventLimits.exchangesPerWrite,
      linesPerPage: eventLimits.exchangesPerPage,
    })
  }

  stop(): void {
    this.#lines.stop()
  }

  /** Watches the pages for it. */
  begin(sessionId: string, tenant: string, { filled }: Pick<LoggedBrowser, 'filled'>): PageWatcher {
    this.#lines.begin(sessionId, tenant)
    return pageExchanges((exchange) => this.#lines.add(sessionId, filled.hide(exchange)))
  }

  end(sessionId: string): void {
    this.#lines.end(sessionId)
  }

  async read({
    sessionId,
    after,
  }: NodeVerbs['exchanges']['request']): Promise<NodeVerbs['exchanges']['reply']> {
    const { lines, hasMore } = await this.#lines.read(sessionId, after)
    return { exchanges: lines, hasMore }
  }
}
