/**
 * The contract's tools: the content, a picture or a PDF of a page in one request. They use the
 * session named in the query, or a headless one that ends with the answer.
 */
import { z } from 'zod'
import type { CommandInput, CommandName, CommandOutput } from '../../proto/commands/catalogue.ts'
import { commandCatalogue } from '../../proto/commands/catalogue.ts'
import { ServiceError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import { sessionDefaults } from '../../proto/session/session.ts'
import { sleep, type Clock } from '../../runtime/lib/clock.ts'
import type { Principal } from '../routing/auth/auth.ts'
import type { CommandDispatcher } from './command-dispatcher.ts'
import type { HttpReply, HttpRequest } from '../server/http.ts'
import { rawRoute, type Route } from '../routing/route.ts'
import type { SessionService } from '../sessions/sessions.ts'
import { badField } from '../routing/schemas/validate.ts'
import { commandLimits } from '../../proto/commands/limits.ts'
import { cutHeader } from './picture-headers.ts'

const toolWaitMs = 60_000

export interface ToolRouteDeps {
  readonly commands: CommandDispatcher
  readonly sessions: Pick<SessionService, 'create' | 'end'>
  readonly clock: Clock
}

const inQuery = z.object({
  sessionId: z
    .string()
    .optional()
    .describe('Session to use. If absent, a temporary headless session is used.'),
})
const url = z.string().min(1).max(limits.urlBytes)
const wait = z
  .number()
  .min(0)
  .max(toolWaitMs)
  .optional()
  .describe('Milliseconds to wait after the page has loaded.')

const fetchBody = z.object({
  url: url.optional().describe('If absent, the page that is open in the session.'),
  format: z.enum(['html', 'markdown']).default('html'),
  wait,
  new_page: z.boolean().default(false),
  page_index: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe('Index of a tab of the session, from 0; overrides new_page.'),
  return_partial_on_timeout: z.boolean().default(false),
})

const sidePx = z.number().int().min(1).max(commandLimits.screenshotSidePx)
/** Open, so that {@link pictureRoute} sees the field of the contract that it refuses. */
const pictureBody = z.looseObject({
  url: url.optional(),
  width: sidePx.optional(),
  height: sidePx.optional(),
  image_quality: z
    .number()
    .int()
    .min(1)
    .max(100)
    .optional()
    .describe('Ignored: the picture is a PNG, which is lossless.'),
  wait,
  scroll_all_content: z
    .boolean()
    .default(false)
    .describe('Scroll through the page first, so that lazy content loads.'),
  capture_full_height: z.boolean().default(false),
})

const inches = z.number().min(0).max(200)
const paperInches = z.number().positive().max(200)
const pdfBody = z.object({
  url: url.optional(),
  landscape: z.boolean().optional(),
  displayHeaderFooter: z.boolean().optional(),
  printBackground: z.boolean().optional(),
  scale: z.number().min(0.1).max(2).optional(),
  paperWidth: paperInches.optional(),
  paperHeight: paperInches.optional(),
  marginTop: inches.optional(),
  marginBottom: inches.optional(),
  marginLeft: inches.optional(),
  marginRight: inches.optional(),
  pageRanges: z.string().optional(),
  headerTemplate: z.string().optional(),
  footerTemplate: z.string().optional(),
  preferCSSPageSize: z.boolean().optional(),
})

export function toolRoutes(deps: ToolRouteDeps): readonly Route[] {
  return [fetchRoute(deps), pictureRoute(deps), pdfRoute(deps)]
}

function fetchRoute(deps: ToolRouteDeps): Route {
  return toolRoute(deps, {
    path: '/v1/tools/fetch-webpage',
    summary: 'Get the content of a page as HTML or Markdown.',
    description:
      'Opens the URL in a temporary headless session, or in your session if you send ' +
      '`sessionId`, and returns the content as text.',
    body: fetchBody,
    contentType: 'text/plain; charset=utf-8',
    async use(page, body) {
      const {
        url,
        page_index: index,
        new_page: inNewTab,
        return_partial_on_timeout: partial,
      } = body
      if (index !== undefined) await page.selectTab(index)
      const opens = inNewTab && index === undefined
      const loading = opens ? page.run('tab_new', { url }) : page.go(url)
      await loading.catch((error: unknown) => {
        if (!partial || !(error instanceof ServiceError && error.type === 'timeout')) throw error
      })
      await page.wait(body.wait)
      const { text, more } = await page.run('extract_text', { format: body.format })
      const headers = { 'x-chars-left-out': String(more) }
      return bytes('text/plain; charset=utf-8', Buffer.from(text), headers)
    },
  })
}

function pictureRoute(deps: ToolRouteDeps): Route {
  return toolRoute(deps, {
    path: '/v1/tools/screenshot',
    summary: 'Take a screenshot of a page.',
    description: 'Opens the URL, waits as requested, and returns the picture itself.',
    body: pictureBody,
    contentType: 'image/png',
    check(body) {
      if (body['s3_target_address'] !== undefined) throw notHereError('s3_target_address')
    },
    async use(page, body) {
      await page.go(body.url)
      await page.wait(body.wait)
      const sized = body.width !== undefined || body.height !== undefined
      const { width, height } = sessionDefaults.viewport
      const shot = await page.run('screenshot', {
        ...(sized && { width: body.width ?? width, height: body.height ?? height }),
        full_page: body.capture_full_height,
        scroll_through: body.scroll_all_content,
      })
      return bytes(shot.type, shot.image, cutHeader(shot))
    },
  })
}

function pdfRoute(deps: ToolRouteDeps): Route {
  return toolRoute(deps, {
    path: '/v1/tools/page-pdf',
    summary: 'Print a page as a PDF.',
    description:
      'Opens the URL and prints it with the paper size, margins, header and footer that you ' +
      'request.',
    body: pdfBody,
    contentType: 'application/pdf',
    async use(page, body) {
      await page.go(body.url)
      const { pdf } = await page.run('pdf', {
        landscape: body.landscape,
        header_footer: body.displayHeaderFooter,
        print_background: body.printBackground,
        scale: body.scale,
        paper_width: body.paperWidth,
        paper_height: body.paperHeight,
        margin_top: body.marginTop,
        margin_bottom: body.marginBottom,
        margin_left: body.marginLeft,
        margin_right: body.marginRight,
        page_ranges: body.pageRanges,
        header_template: body.headerTemplate,
        footer_template: body.footerTemplate,
        prefer_css_page_size: body.preferCSSPageSize,
      })
      return bytes('application/pdf', pdf)
    },
  })
}

interface ToolSpec<B> {
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly body: z.ZodType<B>
  readonly contentType: string
  /** Refuses unsupported options that a schema cannot express, before a session is created. */
  readonly check?: (body: B) => void
  readonly use: (page: ToolPage, body: B) => Promise<HttpReply>
}

function toolRoute<B extends { readonly url?: string | undefined }>(
  deps: ToolRouteDeps,
  { check, use, ...spec }: ToolSpec<B>,
): Route {
  return rawRoute({
    ...spec,
    method: 'POST',
    auth: 'key',
    scope: 'drive',
    query: inQuery,
    handler: ({ caller, query: { sessionId }, body, request }) => {
      check?.(body)
      const call = { caller, request, sessionId, url: body.url }
      return onPage(deps, call, (page) => use(page, body))
    },
  })
}

interface ToolCall {
  readonly caller: Principal
  readonly request: HttpRequest
  readonly sessionId: string | undefined
  readonly url: string | undefined
}

type Unfilled<N extends CommandName> = {
  readonly [K in keyof CommandInput<N>]?: CommandInput<N>[K] | undefined
}

/** The selected tab of the session that a tool uses. */
class ToolPage {
  readonly #deps: ToolRouteDeps
  readonly #caller: Principal
  readonly #sessionId: string

  constructor(deps: ToolRouteDeps, caller: Principal, sessionId: string) {
    this.#deps = deps
    this.#caller = caller
    this.#sessionId = sessionId
  }

  /** Fills absent fields with the defaults of the command. */
  run<N extends CommandName>(command: N, input: Unfilled<N>): Promise<CommandOutput<N>> {
    const entry = commandCatalogue.find(({ name }) => name === command)!
    const whole = entry.input.parse(input) as CommandInput<N>
    return this.#deps.commands.one(this.#caller, this.#sessionId, command, whole)
  }

  async go(url: string | undefined): Promise<void> {
    if (url !== undefined) await this.run('goto', { url } as Unfilled<'goto'>)
  }

  async wait(ms: number | undefined): Promise<void> {
    if (ms !== undefined) await sleep(this.#deps.clock, ms)
  }

  async selectTab(index: number): Promise<void> {
    const { tabs } = await this.run('tab_list', {})
    const tab = tabs[index]
    if (!tab) {
      const message = `page_index is ${index}, but the session has ${tabs.length} pages.`
      throw badField('page_index', message)
    }
    await this.run('tab_select', { tab: tab.id })
  }
}

async function onPage(
  deps: ToolRouteDeps,
  { caller, request, sessionId, url }: ToolCall,
  use: (page: ToolPage) => Promise<HttpReply>,
): Promise<HttpReply> {
  if (sessionId !== undefined) return use(new ToolPage(deps, caller, sessionId))
  if (url === undefined) {
    const message = 'Send url, or name a session with sessionId in the query to use its open page.'
    throw badField('url', message)
  }
  const headless = { browser: { headless: { active: true } } }
  const { id } = await deps.sessions.create(caller, headless, request.gone)
  try {
    return await use(new ToolPage(deps, caller, id))
  } finally {
    await deps.sessions.end(caller.tenant, id)
  }
}

function bytes(type: string, body: Uint8Array, headers: HttpReply['headers'] = {}): HttpReply {
  const all = { 'content-type': type, 'cache-control': 'no-store', ...headers }
  return { status: 200, headers: all, body }
}

function notHereError(option: string): ServiceError {
  const message = `${option} is not supported: the answer contains the picture itself.`
  return new ServiceError('unsupported_option', message, { option })
}
