/** Requests of pages that a rule of the caller answers, in place of their servers. */
import { z } from 'zod'
import { defineCommand, type ToolForm } from '../command.ts'
import { commandLimits } from '../limits.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const

/** How a request may fail, by the names of Playwright. */
const requestFailures = [
  'failed',
  'aborted',
  'timedout',
  'accessdenied',
  'connectionclosed',
  'connectionreset',
  'connectionrefused',
  'connectionfailed',
  'namenotresolved',
  'internetdisconnected',
  'addressunreachable',
  'blockedbyclient',
] as const

const url = z
  .string()
  .min(1)
  .max(commandLimits.routeUrlChars)
  .describe('The whole URL of a request, in which * stands for any text.')
  .meta({ examples: ['*/api/cart*'] })

const headerName = z.string().regex(/^[\w!#$%&'*+.^`|~-]{1,200}$/, 'must be a name of HTTP')
const headerValue = z
  .string()
  .max(commandLimits.routeUrlChars)
  .regex(/^[\t\x20-\x7e]*$/, 'must be one line of ASCII')

const headers = z
  .record(headerName, headerValue)
  .refine((all) => Object.keys(all).length <= commandLimits.routeHeaders, {
    message: `must have at most ${commandLimits.routeHeaders} names`,
  })
  .meta({ maxProperties: commandLimits.routeHeaders, examples: [{ 'x-total': '2' }] })

const fields = {
  url,
  method: z.enum(methods).optional().describe('Default: all methods.'),
  status: z.number().int().min(200).max(599).optional().describe('Default 200.'),
  headers: headers.optional(),
  content_type: headerValue
    .optional()
    .describe('Default: application/json if the body is JSON, else text/plain.')
    .meta({ examples: ['text/html'] }),
  body: z
    .string()
    .max(commandLimits.routeBodyChars)
    .optional()
    .describe('Default: empty.')
    .meta({ examples: ['{"items": []}'] }),
  base64: z.boolean().default(false).describe('true: the body is bytes, in base64.'),
  abort: z
    .enum(requestFailures)
    .optional()
    .describe('The request fails so, instead of being answered.'),
  delay: z
    .number()
    .int()
    .min(0)
    .max(commandLimits.routeDelayMs)
    .optional()
    .describe('Milliseconds until the answer.'),
  times: z
    .number()
    .int()
    .min(1)
    .max(commandLimits.routeTimesMax)
    .optional()
    .describe('After so many requests the route is gone. Default: it stays.'),
}

const answering = ['status', 'headers', 'content_type', 'body'] as const
const noAnswer = Object.fromEntries(answering.map((name) => [name, false] as const))

const routeInput = z
  .object(fields)
  .refine((given) => !given.abort || answering.every((field) => given[field] === undefined), {
    path: ['abort'],
    message: `cannot be combined with ${answering.join(', ')}`,
  })
  .refine(({ body = '', base64 }) => !base64 || isBase64(body), {
    path: ['body'],
    message: 'must be base64',
  })
  .meta({ dependentSchemas: { abort: { properties: noAnswer } } })

const isBase64 = (text: string) => z.base64().safeParse(text).success

export type RouteRule = z.output<typeof routeInput>

const route = z.object({
  url: z.string(),
  method: z.enum(methods).optional(),
  answer: z
    .string()
    .describe('A status, or how the request fails.')
    .meta({ examples: ['200'] }),
  requests: z.number().int().describe('How many it has answered.'),
  times_left: z.number().int().optional(),
})

const routesOutput = z.object({ routes: z.array(route).describe('The newest is the first.') })

export const routeCommand = defineCommand({
  name: 'route',
  help: 'Answer requests of all pages of the session in place of their servers; the newest route that fits has them.',
  input: routeInput,
  output: routesOutput,
  transport: 'page',
  repeat: 'once',
})

const unrouteInput = z.object({
  url: url.optional().describe('That of the routes to remove. Default: all routes.'),
})

export const unrouteCommand = defineCommand({
  name: 'unroute',
  help: 'Remove routes: requests go to their servers again.',
  input: unrouteInput,
  output: routesOutput,
  transport: 'page',
  repeat: 'safe',
})

export const listRoutesCommand = defineCommand({
  name: 'routes',
  help: 'List the routes of the session, and how many requests each has answered.',
  input: z.object({}),
  output: routesOutput,
  transport: 'page',
  repeat: 'safe',
})

/** For MCP clients that request them: what they answer is a page’s own script, as that of `run_script` is. */
export const routeTool = {
  name: 'route',
  title: 'Answer requests',
  modelHelp:
    'Answer requests whose URL fits (* is any text) instead of their server, in all tabs: status, body, ' +
    'headers; or abort them. Newest first. Reload what was loaded before.',
  readOnly: false,
  input: z.object(fields).omit({ base64: true }),
} satisfies ToolForm

export const unrouteTool = {
  name: 'unroute',
  title: 'Stop answering requests',
  modelHelp: 'Remove routes, all of them or those with this URL.',
  readOnly: false,
  input: unrouteInput,
} satisfies ToolForm
