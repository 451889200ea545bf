/** The catalogue of commands as routes: one for each, and one for several in a row. */
import { z } from 'zod'
import {
  catalogue,
  type Action,
  type CommandName,
  type CommandOutput,
} from '../../proto/commands/catalogue.ts'
import type { Command, RestForm } from '../../proto/commands/command.ts'
import { limits } from '../../proto/limits.ts'
import { actionsBody, actionsData, actionsJson } from '../actions-json.ts'
import type { Commands } from '../commands.ts'
import type { HttpReply } from '../http.ts'
import { jsonRoute, rawRoute, type Call, type Route } from '../route.ts'

const base = '/v1/sessions/{session_id}'
const ofSession = z.object({ session_id: z.string() })
type SessionCall = Call<'key', z.infer<typeof ofSession>, unknown, unknown>

export function commandRoutes(commands: Commands): readonly Route[] {
  return [...catalogue.map((entry) => commandRoute(entry, commands)), actionsRoute(commands)]
}

/** The forms of answers that are JSON. */
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
} satisfies Record<Exclude<RestForm['answer'], 'png'>, unknown>

function commandRoute(entry: Command, commands: Commands): Route {
  const { method, path, answer, bodyBytes } = entry.rest
  const shared = {
    method,
    path: base + path,
    summary: entry.help,
    auth: 'key',
    params: ofSession,
    ...(method === 'GET' ? { query: entry.input } : { body: entry.input }),
    ...(bodyBytes !== undefined && { bodyBytes }),
  } as const
  const outputOf = ({ caller, params, query, body }: SessionCall): Promise<unknown> => {
    const input = (query ?? body) as Action['input']
    return commands.one(caller, params.session_id, entry.name as CommandName, input)
  }
  if (answer === 'png') {
    const handler = async (call: SessionCall) => picture(await outputOf(call))
    return rawRoute({ ...shared, contentType: 'image/png', handler })
  }
  const form = forms[answer]
  const handler = async (call: SessionCall) => form.of(await outputOf(call))
  return jsonRoute({ ...shared, response: form.schema(entry.output) as z.ZodType, handler })
}

function actionsRoute(commands: Commands): Route {
  return jsonRoute({
    method: 'POST',
    path: `${base}/actions`,
    summary: 'Run commands one after the other, up to the first that fails.',
    auth: 'key',
    params: ofSession,
    body: actionsBody,
    bodyBytes: limits.commandBodyBytes,
    response: actionsJson,
    async handler({ caller, params, body }) {
      const replies = await commands.run(caller, params.session_id, body.actions)
      return { data: actionsData(body.actions, replies) }
    },
  })
}

/** With where it lies on the screen, for whoever is to click on what it shows. */
function picture(output: unknown): HttpReply {
  const { png, left, top } = output as CommandOutput<'screenshot'>
  return {
    status: 200,
    headers: {
      'content-type': 'image/png',
      'cache-control': 'no-store',
      'x-screen-left': String(left),
      'x-screen-top': String(top),
    },
    body: png,
  }
}
