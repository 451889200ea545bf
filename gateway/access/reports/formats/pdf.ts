/**
 * Prints a report as PDF in a browser of our own pool: a headless session gets the page as text,
 * prints it and is ended. The page's policy forbids it to load anything.
 */
import {
  commandCatalogue,
  type CommandCall,
  type CommandOutput,
} from '../../../../proto/commands/catalogue.ts'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import { fromWireError, ServiceError } from '../../../../proto/errors.ts'
import type { SessionCreateBody } from '../../../../proto/session/session.ts'
import { raceAbort } from '../../../../runtime/lib/abort.ts'
import type { CommandDispatcher } from '../../../commands/command-dispatcher.ts'
import type { SessionService } from '../../../sessions/sessions.ts'
import { footerHtml } from '../page/footer.tsx'
import type { ShownReport } from '../shown.ts'
import { commandLimits } from '../../../../proto/commands/limits.ts'

export interface PdfPrinterDeps {
  readonly sessions: Pick<SessionService, 'create' | 'end'>
  readonly commands: Pick<CommandDispatcher, 'run'>
}

const body: SessionCreateBody = {
  browser: {
    headless: { active: true },
    // The page is written with a script; it contains none itself.
    evaluate: { active: true },
  },
  session: {
    tags: ['report-pdf'],
    // The session is ended right away; if this gateway dies before that, these times end it.
    timeout: { max_duration: 2, idle_timeout: 1 },
  },
}

export class PdfPrinter {
  readonly #deps: PdfPrinterDeps
  #running = 0

  constructor(deps: PdfPrinterDeps) {
    this.#deps = deps
  }

  /**
   * `agency` is in the footer of each page. Throws `unavailable` (503) if no browser is free, with
   * what to do.
   */
  async print(
    report: ShownReport,
    html: string,
    gone: AbortSignal,
    agency?: string,
  ): Promise<Uint8Array> {
    if (this.#running >= limits.reportPdfsAtOnce) throw noBrowserError()
    this.#running++
    try {
      return await this.#print(report, html, gone, agency)
    } finally {
      this.#running--
    }
  }

  async #print(
    { id, title, client }: ShownReport,
    html: string,
    gone: AbortSignal,
    agency: string | undefined,
  ) {
    const { sessions, commands } = this.#deps
    const caller = { keyId: id, keyName: 'report-pdf', tenant: client.id, scopes: [] }
    const late = AbortSignal.any([gone, AbortSignal.timeout(limits.reportPdfMs)])
    // If the client leaves before the session exists, `create` ends it.
    const created = sessions.create(caller, body, late)
    const session = await raceAbort(created, late).catch((error: unknown) => {
      throw noBrowserError(error)
    })
    try {
      const replies = await commands.run(caller, session.id, [
        ...writing(html),
        printing(footerHtml(title, agency)),
      ])
      const last = replies.at(-1)!
      if (!last.ok) throw fromWireError(last.error)
      return (last.value as CommandOutput<'pdf'>).pdf
    } finally {
      await sessions.end(client.id, session.id)
    }
  }
}

const chunkChars = Math.floor(commandLimits.scriptChars / 8)

/**
 * Splits the page, because the length of one script is limited; as JSON a character may take up to
 * six.
 */
function writing(html: string): readonly CommandCall[] {
  const actions: CommandCall[] = []
  const add = (expression: string) => {
    actions.push({ command: 'evaluate', input: { expression } })
  }
  add('globalThis.page = ""; 1')
  for (let at = 0; at < html.length; at += chunkChars) {
    add(`globalThis.page += ${JSON.stringify(html.slice(at, at + chunkChars))}; 1`)
  }
  add('document.open(); document.write(globalThis.page); document.close(); 1')
  return actions
}

/** A4, with margins that have room for the footer. */
function printing(footer: string): CommandCall {
  const entry = commandCatalogue.find(({ name }) => name === 'pdf')!
  const input = entry.input.parse({
    ...{ paper_width: 8.27, paper_height: 11.69, print_background: true },
    ...{ margin_top: 0.6, margin_bottom: 0.8, margin_left: 0.6, margin_right: 0.6 },
    ...{ header_footer: true, header_template: '<span></span>' },
    footer_template: footer,
  })
  return { command: 'pdf', input } as CommandCall
}

function noBrowserError(cause?: unknown): ServiceError {
  const text =
    'No browser is free to create the PDF: try again in a moment, or request text/html and ' +
    'print it. The operator can allow more browsers with POOL_HEADLESS and MAX_SESSIONS.'
  return new ServiceError('unavailable', text, {}, cause)
}
