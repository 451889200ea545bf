/**
 * The catalogue of commands as routes: a route of its own for some commands, one route for any
 * command by name, and one for a list of commands.
 */
import { defined } from '../../proto/defined.ts'
import { z } from 'zod'
import {
  commandCatalogue,
  type CommandCall,
  type CommandName,
  type CommandOutput,
} from '../../proto/commands/catalogue.ts'
import type { Command, RestForm } from '../../proto/commands/command.ts'
import { ServiceError } from '../../proto/errors.ts'
import { actionsBody, actionsData, actionsJson, outputJson } from './actions-json.ts'
import type { CommandDispatcher } from './command-dispatcher.ts'
import type { HttpReply } from '../server/http.ts'
import { jsonRoute, rawRoute, type RouteCall, type Route } from '../routing/route.ts'
import { validateInput } from '../routing/schemas/validate.ts'
import { commandLimits } from '../../proto/commands/limits.ts'
import { cutHeader } from './picture-headers.ts'

const base = '/v1/sessions/{session_id}'
const ofSession = z.object({ session_id: z.string() })
type SessionCall = RouteCall<'key', { readonly session_id: string }, unknown, unknown>

export function commandRoutes(commands: CommandDispatcher): readonly Route[] {
  const own = commandCatalogue.flatMap((entry: Command) =>
    entry.rest ? [commandRoute(entry, entry.rest, commands)] : [],
  )
  return [...own, namedRoute(commands), actionsRoute(commands)]
}

/** By the field `format`. */
const pictureTypes = ['image/png', 'image/jpeg', 'image/webp'] as const

/** How an output is wrapped in a JSON answer. */
const forms = {
  status: {
    schema: () => z.object({ status: z.literal('success') }),
    of: () => ({ status: 'success' }),
  },
  data: {
    schema: (output: z.ZodType) => z.object({ data: output }),
    of: (output: unknown) => ({ data: output }),
  },
  bare: { schema: (output: z.ZodType) => output, of: (output: unknown) => output },
} satisfies Record<Exclude<RestForm['answer'], 'image'>, unknown>

function commandRoute(entry: Command, rest: RestForm, commands: CommandDispatcher): Route {
  const { method, path, answer, bodyBytes } = rest
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, field]) => field!)
  const shared = {
    method,
    path: base + path,
    summary: entry.help,
    description: helpOf(entry),
    auth: 'key',
    scope: 'drive',
    params: ofSession.extend(Object.fromEntries(inPath.map((field) => [field, z.string()]))),
    // A command with fields in its path has no others, so it needs neither body nor query.
    ...(inPath.length === 0 &&
      (method === 'POST' || method === 'PUT' ? { body: entry.input } : { query: entry.input })),
    ...defined({ bodyBytes }),
  } as const
  const outputOf = ({ caller, params, query, body }: SessionCall): Promise<unknown> => {
    const { session_id: id, ...rest } = params
    const input = inPath.length > 0 ? validateInput(entry.input, rest, 'path') : (query ?? body)
    return commands.one(caller, id, entry.name as CommandName, input as CommandCall['input'])
  }
  if (answer === 'image') {
    const handler = async (call: SessionCall) => picture(await outputOf(call))
    return rawRoute({ ...shared, contentType: pictureTypes, handler })
  }
  const form = forms[answer]
  const handler = async (call: SessionCall) => form.of(await outputOf(call))
  return jsonRoute({ ...shared, response: form.schema(entry.output) as z.ZodType, handler })
}

const ways = {
  os: 'Runs through the operating system in a session with a desktop, otherwise through CDP.',
  page: 'Runs through CDP in any session and acts on the selected tab.',
} as const
const repeats = {
  safe: 'Safe to retry: repeating it has no further effect.',
  once: 'If the answer is lost, check its effect before you send it again.',
} as const

const helpOf = ({ name, transport, repeat }: Command): string =>
  `Command \`${name}\`. ${ways[transport]} ${repeats[repeat]}`

function namedRoute(commands: CommandDispatcher): Route {
  return jsonRoute({
    method: 'POST',
    path: `${base}/commands/{command}`,
    summary: 'Run any command by name.',
    description:
      'The body is the input of the command; `data` in the answer is its output. This also ' +
      'runs commands without a route of their own, such as `click`, `type`, `find` and ' +
      '`extract_text`.',
    auth: 'key',
    scope: 'drive',
    params: ofSession.extend({ command: z.string() }),
    body: z.looseObject({}),
    bodyBytes: commandLimits.commandBodyBytes,
    response: z.object({ data: outputJson }),
    async handler({ caller, params, body }) {
      const entry = commandCatalogue.find(({ name }) => name === params.command)
      if (!entry) throw noSuchCommandError(params.command)
      const input = validateInput(entry.input, body, 'body') as CommandCall['input']
      const output = await commands.one(caller, params.session_id, entry.name, input)
      return { data: outputJson.parse(output) }
    },
  })
}

function actionsRoute(commands: CommandDispatcher): Route {
  return jsonRoute({
    method: 'POST',
    path: `${base}/actions`,
    summary: 'Run a list of commands in order, stopping at the first failure.',
    description:
      'Runs a whole sequence in one round trip. The answer contains the result of each ' +
      'command that ran, and the error of the one that failed.',
    auth: 'key',
    scope: 'drive',
    params: ofSession,
    body: actionsBody,
    bodyBytes: commandLimits.commandBodyBytes,
    response: actionsJson,
    async handler({ caller, params, body }) {
      const replies = await commands.run(caller, params.session_id, body.actions)
      return { data: actionsData(body.actions, replies) }
    },
  })
}

function noSuchCommandError(name: string): ServiceError {
  const names = commandCatalogue.map((entry) => entry.name).join(', ')
  return new ServiceError('not_found', `There is no command ${name}. Available commands: ${names}.`)
}

/**
 * The headers give the picture's position on the screen, for clients that click on what it shows,
 * and the size of the whole if the picture is cut off.
 */
function picture(output: unknown): HttpReply {
  const shot = output as CommandOutput<'screenshot'>
  return {
    status: 200,
    headers: {
      'content-type': shot.type,
      'cache-control': 'no-store',
      'x-screen-left': String(shot.left),
      'x-screen-top': String(shot.top),
      ...cutHeader(shot),
    },
    body: shot.image,
  }
}
