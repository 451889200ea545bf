/**
 * What happened in a session: what commands did, what CDP clients did, and what became of its pages.
 * The host of its browser keeps the log; it has no headers, bodies or typed text.
 */
import { z } from 'zod'
import { sessionLimits } from './limits.ts'

const common = {
  n: z.int().describe('1, 2, 3 …; gaps are events that the log no longer has.'),
  at: z.iso.datetime().describe('When it happened; of a command, when it began.'),
}
const page = z.string().describe('The id of the tab, as in the session’s list of pages.')
const url = z
  .string()
  .describe(
    'Where it leads: without a login, without the values of its query, and without the content of a ' +
      `data: URL; at most ${sessionLimits.eventUrlChars} characters.`,
  )
const client = z.string().describe('The same for everything that one connection did.')

/** What a client did to a page or to the browser. Calls that only read are left out. */
export const clientActs = [
  'navigate',
  'click',
  'keys',
  'text',
  'scroll',
  'touch',
  'upload',
  'answer_dialog',
  'open_page',
  'close_page',
  'set_cookies',
] as const

export const loggedEvent = z.discriminatedUnion('type', [
  z.object({
    ...common,
    type: z.literal('command'),
    command: z.string(),
    target: z.string().optional().describe('What it was aimed at: an element, or an address.'),
    ms: z.number().describe('How long it took.'),
    outcome: z.string().describe('`done`, or the type of the error.'),
    task: z.string().optional().describe('The web task that sent it.'),
    step: z.int().optional().describe('The step of the task that it carried out.'),
    key: z.string().optional().describe('The id of the key by which it came; not of a task’s.'),
  }),
  z.object({
    ...common,
    type: z.literal('client'),
    client,
    state: z.enum(['connected', 'left']),
    kind: z.enum(['cdp', 'live']).describe('A CDP client, or a viewer of the live view.'),
    key: z.string().optional().describe('The id of the key by which it came.'),
    mode: z.enum(['control', 'view']).optional().describe('Of a viewer.'),
  }),
  z.object({
    ...common,
    type: z.literal('act'),
    client,
    act: z.enum(clientActs),
    url: url.optional(),
    x: z
      .number()
      .optional()
      .describe('In CSS pixels of the page; on a desktop, in pixels of its screen.'),
    y: z.number().optional(),
    count: z.int().optional().describe('How many followed one another: keys, characters, wheel.'),
  }),
  z.object({
    ...common,
    type: z.literal('recording'),
    state: z.enum(['paused', 'resumed', 'removed']).describe('What became of its video.'),
  }),
  z.object({ ...common, type: z.literal('page_opened'), page, url }),
  z.object({ ...common, type: z.literal('page_navigated'), page, url }),
  z.object({ ...common, type: z.literal('page_closed'), page }),
  z.object({ ...common, type: z.literal('page_crashed'), page }),
  z.object({
    ...common,
    type: z.literal('page_error'),
    page,
    text: z
      .string()
      .describe('What the page logged as an error, or an exception that it does not catch.'),
  }),
  z.object({
    ...common,
    type: z.literal('request_failed'),
    page,
    url,
    reason: z.string().describe('Such as `404 (Not Found)` or `net::ERR_CONNECTION_REFUSED`.'),
  }),
  z.object({ ...common, type: z.literal('download'), file: z.string(), name: z.string() }),
  z.object({
    ...common,
    type: z.literal('skipped'),
    count: z.int().describe('Events that came too fast to be kept.'),
  }),
])

export type LoggedEvent = z.infer<typeof loggedEvent>

type Unnumbered<E> = E extends LoggedEvent ? Omit<E, 'n' | 'at'> : never
/** Its number and, unless it has one, its time are given by the log. */
export type NewLoggedEvent = Unnumbered<LoggedEvent> & { readonly at?: string }
